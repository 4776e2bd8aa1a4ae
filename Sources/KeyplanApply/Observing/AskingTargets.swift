internal import KeyplanCore
internal import KeyplanSecrets

extension Observer {
  /// Reads every declared and every recorded place, under the names that are or were keyplan's, and asks what is in the way
  /// of writing there.
  func askTargets(
    _ manifest: Manifest, _ recorded: Recorded, only selection: Selection?
  ) async -> (found: [Destination: TargetFinding], obstacles: [Destination: Obstacle]) {
    let questions = Self.questions(manifest, recorded, only: selection)
    return await withTaskGroup(of: (Destination, TargetFinding, Obstacle?).self) { group in
      for (destination, names) in questions {
        let isAllowed = destination.surface.map(recorded.surface.contains) ?? true
        group.addTask {
          guard isAllowed else { return (destination, .notAllowed, nil) }
          let finding = await ask(destination, names)
          let isReadable = if case .entries = finding { true } else { false }
          return (destination, finding, isReadable ? await targets[destination.type]?.obstacle(at: destination) : nil)
        }
      }
      return await group.reduce(into: ([:], [:])) { all, answer in
        all.0[answer.0] = answer.1
        all.1[answer.0] = answer.2
      }
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
