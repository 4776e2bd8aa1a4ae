internal import KeyplanCore
internal import KeyplanSecrets

extension Observer {
  /// Asks each key's sources in order. Only a definite *missing* moves on to the next one, so that a fallback is not
  /// contacted without need, and an outage never looks like a removal.
  func askSources(
    _ manifest: Manifest, _ recorded: Recorded, _ given: [Identifier<Key>: SharedSecret], only selection: Selection?
  ) async -> (findings: [Identifier<Key>: SourceFinding], resembling: [Identifier<Key>: Identifier<Key>]) {
    var resemblance = Resemblance(manifest, recorded, fingerprints)
    var findings: [Identifier<Key>: SourceFinding] = [:]
    let unsupported = Set(manifest.unsupported.map(\.address))
    var asking: [(id: Identifier<Key>, key: Key)] = []
    for (id, key) in manifest.keys where !unsupported.contains(.key(id)) && selection?.contains(.key(id)) ?? true {
      if let value = given[id] {
        resemblance.look(at: value, of: id)
        findings[id] = .given(fingerprints.fingerprint(value, of: id), looksRight: looksRight(value, key, manifest))
      } else if !key.sources.isEmpty {
        asking.append((id, key))
      }
    }
    var index = 0
    while !asking.isEmpty {
      let allowed = asking.filter { $0.key.sources[index].surface.map(recorded.surface.contains) ?? true }
      let answers = await read(allowed.lazy.map { $0.key.sources[index] })
      var next: [(id: Identifier<Key>, key: Key)] = []
      for (id, key) in asking {
        let reference = key.sources[index]
        switch answers[reference] {
        case nil: findings[id] = .notAllowed(index: index)
        case .missing where index + 1 < key.sources.count: next.append((id, key))
        case .missing: findings[id] = .missing
        case .unreachable(let reason): findings[id] = .unreachable(index: index, reason: reason)
        case .unreadable(let reason): findings[id] = .unreadable(index: index, reason: reason)
        case .value(let value):
          let fingerprint = fingerprints.fingerprint(value, of: id)
          resemblance.look(at: value, of: id)
          let isKnown = recorded.keys[id]?.version.fingerprint == fingerprint
          findings[id] = .value(
            fingerprint, index: index, looksRight: isKnown || looksRight(value, key, manifest))
        }
      }
      asking = next
      index += 1
    }
    return (findings, resemblance.found)
  }

  /// Asks the places from which values are still to be adopted, or still to be taken away.
  func askOriginals(
    _ manifest: Manifest, _ recorded: Recorded, _ given: [Identifier<Key>: SharedSecret], only selection: Selection?
  ) async -> [Identifier<Key>: SourceFinding] {
    var references: [Identifier<Key>: Reference] = [:]
    for (id, migration) in manifest.adoptions(in: recorded) where given[id] == nil {
      guard selection?.contains(.key(id)) ?? true else { continue }
      references[id] = migration.original
    }
    let allowed = references.values.filter { $0.surface.map(recorded.surface.contains) ?? true }
    let answers = await read(allowed)
    var findings: [Identifier<Key>: SourceFinding] = [:]
    for (id, reference) in references {
      switch answers[reference] {
      case nil: findings[id] = .notAllowed(index: 0)
      case .missing: findings[id] = .missing
      case .unreachable(let reason): findings[id] = .unreachable(index: 0, reason: reason)
      case .unreadable(let reason): findings[id] = .unreadable(index: 0, reason: reason)
      case .value(let value):
        let isRight = manifest.keys[id].map { looksRight(value, $0, manifest) } ?? true
        findings[id] = .value(fingerprints.fingerprint(value, of: id), index: 0, looksRight: isRight)
      }
    }
    return findings
  }
}
