internal import KeyplanCore
internal import KeyplanSecrets

extension Observer {
  /// Reads every declared and every recorded place, under the names that are or were keyplan's.
  func askTargets(
    _ manifest: Manifest, _ recorded: Recorded, only selection: Selection?
  ) async -> [Destination: TargetFinding] {
    let questions = Self.questions(manifest, recorded, only: selection)
    return await withTaskGroup(of: (Destination, TargetFinding).self) { group in
      for (destination, names) in questions {
        let isAllowed = destination.surface.map(recorded.surface.contains) ?? true
        group.addTask { (destination, isAllowed ? await ask(destination, names) : .notAllowed) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// What one place holds, each value as fingerprints in the domain of every key that might feed its name.
  func ask(_ destination: Destination, _ names: [String: Set<Identifier<Key>>]) async -> TargetFinding {
    guard let target = targets[destination.type] else {
      return .unreadable(reason: "This version of keyplan knows no targets of type \(destination.type).")
    }
    hear(.began(destination.location))
    defer { hear(.ended(destination.location)) }
    switch await target.read(Set(names.keys), at: destination) {
    case .unreachable(let reason): return .unreachable(reason: reason)
    case .unreadable(let reason): return .unreadable(reason: reason)
    case .writeOnly: return .writeOnly
    case .values(let values):
      var found: [String: FoundEntry] = [:]
      for (name, value) in values {
        var prints: [Identifier<Key>: Fingerprint] = [:]
        if case .text(let secret) = value {
          for key in names[name] ?? [] { prints[key] = fingerprints.fingerprint(secret, of: key) }
        }
        found[name] = FoundEntry(prints)
      }
      return .entries(found)
    }
  }

  private static func questions(
    _ manifest: Manifest, _ recorded: Recorded, only selection: Selection?
  ) -> [Destination: [String: Set<Identifier<Key>>]] {
    var questions: [Destination: [String: Set<Identifier<Key>>]] = [:]
    let unsupported = Set(manifest.unsupported.map(\.address))
    for (id, target) in manifest.targets
    where !unsupported.contains(.target(id)) && selection?.contains(.target(id)) ?? true {
      var names: [String: Set<Identifier<Key>>] = [:]
      for entry in target.entries {
        let candidates: [Identifier<Key>]
        switch entry.feed {
        case .key(let key): candidates = [key]
        case .slot(let slot): candidates = manifest.slots[slot]?.candidates ?? []
        }
        for key in candidates {
          if let facts = manifest.keys[key]?.facts, let name = entry.name(for: facts) {
            names[name, default: []].insert(key)
          }
        }
      }
      questions[target.destination, default: [:]].merge(names) { $0.union($1) }
    }
    for (id, attempt) in recorded.attempts where selection?.contains(.target(id)) ?? true {
      for (name, key) in attempt.names { questions[attempt.destination, default: [:]][name, default: []].insert(key) }
    }
    for (id, record) in recorded.targets where selection?.contains(.target(id)) ?? true {
      for (name, entry) in record.entries {
        questions[record.destination, default: [:]][name, default: []].insert(entry.key)
      }
    }
    return questions
  }
}
