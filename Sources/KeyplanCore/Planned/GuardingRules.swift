extension Draft {
  /// Refuses what would leave a rule of the manifest broken. Keys that are held back as a whole, or out of use, break none.
  mutating func guardRules() {
    guard !manifest.rules.isEmpty else { return }
    for (id, key) in manifest.keys.inOrder where !unsupported.contains(.key(id)) {
      for rule in manifest.rules where rule.keys?.contains(id) ?? true {
        guard let fault = fault(of: id, key, under: rule.demand) else { continue }
        let place = rule.place.map { " (\($0))" } ?? ""
        tell(
          .ruleBroken, "\"\(id)\" \(fault.words), against the rule \"\(rule.name)\"\(place).", hint: fault.hint,
          at: key.place, of: .key(id))
      }
    }
  }

  private typealias Fault = (words: String, hint: String)

  private func fault(of id: Identifier<Key>, _ key: Key, under demand: Rule.Demand) -> Fault? {
    switch demand {
    case .age(let limit): return tooOld(id, key, limit)
    case .sources(let kinds):
      guard let kind = Self.kinds(of: key).first(where: { !kinds.contains($0) }) else { return nil }
      let words = kind == Rule.storeKind ? "has no source" : "has a source of the kind \(kind)"
      return (words, "Allowed: \(kinds.sorted().joined(separator: ", ")).")
    case .noSources(let kinds):
      guard let kind = Self.kinds(of: key).first(where: kinds.contains) else { return nil }
      let words = kind == Rule.storeKind ? "has no source" : "has a source of the kind \(kind)"
      return (words, "Take it from somewhere else; not from: \(kinds.sorted().joined(separator: ", ")).")
    case .provider(let names):
      guard !names.contains(key.facts.provider) else { return nil }
      return ("is of the provider \(key.facts.provider)", "Allowed: \(names.sorted().joined(separator: ", ")).")
    }
  }

  private static func kinds(of key: Key) -> [String] {
    key.sources.isEmpty ? [Rule.storeKind] : key.sources.map(\.scheme)
  }

  /// A key whose own policy ends it no later is that policy's business.
  private func tooOld(_ id: Identifier<Key>, _ key: Key, _ limit: Interval) -> Fault? {
    guard let outlook = outlooks[id], outlook.isUsable, !retiring.contains(id) else { return nil }
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

extension Draft {
  /// A key that leaves and one other that comes with the same value look like a rename, which would lose the history.
  mutating func hintAtRenames() {
    let heirs = Dictionary(grouping: observed.resembling, by: \.value)
    for (id, old) in observed.resembling.inOrder where heirs[old]?.count == 1 {
      guard let key = manifest.keys[id], recorded.keys[id] == nil, manifest.keys[old] == nil, !stuck.contains(old)
      else { continue }
      tell(
        .probablyMoved, "\"\(id)\" has the value of \"\(old)\", which is no longer declared and would be forgotten.",
        hint: "Did you mean `moved`? Under `migrations`: { moved: \(old), to: \(id) } keeps its history.",
        at: key.place, of: .key(id))
    }
  }
}
