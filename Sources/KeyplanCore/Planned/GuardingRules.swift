extension Manifest {
  /// The rules that the manifest breaks by itself, whatever is recorded or found: those about sources and providers. Keys
  /// that are held back as a whole break none.
  public var brokenRules: [Diagnostic] {
    broken { _, key, demand in demand.fault(of: key) }
  }

  fileprivate typealias Fault = (words: String, hint: String)

  fileprivate func broken(_ fault: (Identifier<Key>, Key, Rule.Demand) -> Fault?) -> [Diagnostic] {
    guard !rules.isEmpty else { return [] }
    let held = Set(unsupported.map(\.address))
    var diagnostics: [Diagnostic] = []
    for (id, key) in keys.inOrder where !held.contains(.key(id)) {
      for rule in rules where rule.keys?.contains(id) ?? true {
        guard let fault = fault(id, key, rule.demand) else { continue }
        let place = rule.place.map { " (\($0))" } ?? ""
        diagnostics.append(
          Diagnostic(
            .ruleBroken, "\"\(id)\" \(fault.words), against the rule \"\(rule.name)\"\(place).", hint: fault.hint,
            at: key.place, of: .key(id)))
      }
    }
    return diagnostics
  }
}

extension Rule.Demand {
  fileprivate func fault(of key: Key) -> Manifest.Fault? {
    let kinds = key.sources.isEmpty ? [Rule.storeKind] : key.sources.map(\.scheme)
    switch self {
    case .age: return nil
    case .sources(let allowed):
      guard let kind = kinds.first(where: { !allowed.contains($0) }) else { return nil }
      return (Self.words(for: kind), "Allowed: \(allowed.sorted().joined(separator: ", ")).")
    case .noSources(let forbidden):
      guard let kind = kinds.first(where: forbidden.contains) else { return nil }
      let list = forbidden.sorted().joined(separator: ", ")
      return (Self.words(for: kind), "Take it from somewhere else; not from: \(list).")
    case .provider(let names):
      guard !names.contains(key.facts.provider) else { return nil }
      return ("is of the provider \(key.facts.provider)", "Allowed: \(names.sorted().joined(separator: ", ")).")
    }
  }

  private static func words(for kind: String) -> String {
    kind == Rule.storeKind ? "has no source" : "has a source of the kind \(kind)"
  }
}

extension PlanBuilder {
  /// Refuses what would leave a rule of the manifest broken.
  mutating func guardRules() {
    diagnostics += manifest.broken { id, key, demand in
      if case .age(let limit) = demand { tooOld(id, key, limit) } else { demand.fault(of: key) }
    }
  }

  /// A key whose own policy ends it no later is that policy's business.
  private func tooOld(_ id: Identifier<Key>, _ key: Key, _ limit: Interval) -> Manifest.Fault? {
    guard let outlook = outlook(of: id), outlook.isUsable, !retiring.contains(id) else { return nil }
    let stored = outlook.isWritten ? now : recorded.keys[id]?.version.storedAt ?? now
    let start = Self.birth(of: key.facts, storedAt: stored)
    let end = start + limit
    guard now >= end else { return nil }
    switch key.facts.expiry?.state(from: start, at: end) {
    case .over: return nil
    case .fresh, .soon, nil:
      return (
        "is \((now - start).spoken) old, which is more than \(limit.spoken)",
        "Issue a new key at the provider, put it where the source points, and plan again."
      )
    }
  }
}

extension PlanBuilder {
  /// A key that leaves and one other that comes with the same value look like a rename, which would lose the history.
  mutating func hintAtRenames() {
    let heirs = Dictionary(grouping: observed.resembling, by: \.value)
    for (id, old) in observed.resembling.inOrder where heirs[old]?.count == 1 {
      guard let key = manifest.keys[id], recorded.keys[id] == nil, manifest.keys[old] == nil,
        !unwithdrawable.contains(old)
      else { continue }
      tell(
        .probablyMoved, "\"\(id)\" has the value of \"\(old)\", which is no longer declared and would be forgotten.",
        hint: "Did you mean `moved`? Under `migrations`: { moved: \(old), to: \(id) } keeps its history.",
        at: key.place, of: .key(id))
    }
  }
}
