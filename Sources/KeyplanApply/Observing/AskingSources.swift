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
    findings.reserveCapacity(manifest.keys.count)
    let unsupported = Set(manifest.unsupported.map(\.address))
    var round = Round(index: 0)
    for (id, key) in manifest.keysAsDeclared
    where !unsupported.contains(.key(id)) && selection?.contains(.key(id)) ?? true {
      let format = manifest.format(of: key)
      if let value = given[id] {
        resemblance.look(at: value, of: id)
        findings[id] = .given(fingerprints.fingerprint(value, of: id), looksRight: looksRight(value, format))
      } else if !key.sources.isEmpty {
        round.add(Asked(id: id, sources: key.sources, format: format), allowing: recorded.surface, &findings)
      }
    }
    while !round.keys.isEmpty {
      let answers = await read(round.references)
      var next = Round(index: round.index + 1)
      for (key, answer) in zip(round.keys, answers) {
        switch answer {
        case .missing where next.index < key.sources.count: next.add(key, allowing: recorded.surface, &findings)
        case .missing: findings[key.id] = .missing
        case .unreachable(let reason): findings[key.id] = .unreachable(index: round.index, reason: reason)
        case .unreadable(let reason): findings[key.id] = .unreadable(index: round.index, reason: reason)
        case .value(let value):
          let fingerprint = fingerprints.fingerprint(value, of: key.id)
          if !recorded.keys.keys.contains(key.id) { resemblance.look(at: value, of: key.id) }
          // What is recorded is right, whatever it looks like; the look is the dearer of the two.
          let isRight =
            key.format == nil || recorded.keys[key.id]?.version.fingerprint == fingerprint
            || looksRight(value, key.format)
          findings[key.id] = .value(fingerprint, index: round.index, looksRight: isRight)
        }
      }
      round = next
    }
    return (findings, resemblance.found)
  }

  /// Asks the places from which values are still to be adopted, or still to be taken away.
  func askOriginals(
    _ manifest: Manifest, _ recorded: Recorded, _ given: [Identifier<Key>: SharedSecret], only selection: Selection?
  ) async -> [Identifier<Key>: SourceFinding] {
    var findings: [Identifier<Key>: SourceFinding] = [:]
    var asking: [(id: Identifier<Key>, reference: Reference)] = []
    for (id, migration) in manifest.adoptions(in: recorded) where given[id] == nil {
      guard selection?.contains(.key(id)) ?? true, let reference = migration.original else { continue }
      if let item = reference.surface, !recorded.surface.contains(item) {
        findings[id] = .notAllowed(index: 0)
      } else {
        asking.append((id, reference))
      }
    }
    for ((id, _), answer) in zip(asking, await read(asking.map(\.reference))) {
      switch answer {
      case .missing: findings[id] = .missing
      case .unreachable(let reason): findings[id] = .unreachable(index: 0, reason: reason)
      case .unreadable(let reason): findings[id] = .unreadable(index: 0, reason: reason)
      case .value(let value):
        let format = manifest.keys[id].flatMap { manifest.format(of: $0) }
        findings[id] = .value(
          fingerprints.fingerprint(value, of: id), index: 0, looksRight: looksRight(value, format))
      }
    }
    return findings
  }
}

/// What must be known of a key to ask its sources.
private struct Asked {
  let id: Identifier<Key>
  let sources: [Reference]
  let format: FormatPattern?
}

/// The keys that are asked for at the same place of their lists of sources, and the references that stand there.
private struct Round {
  let index: Int
  private(set) var keys: [Asked] = []
  private(set) var references: [Reference] = []

  init(index: Int) { self.index = index }

  /// Takes a key in, if its source may be asked.
  mutating func add(
    _ key: Asked, allowing surface: Set<SurfaceItem>, _ findings: inout [Identifier<Key>: SourceFinding]
  ) {
    let reference = key.sources[index]
    if let item = reference.surface, !surface.contains(item) {
      findings[key.id] = .notAllowed(index: index)
    } else {
      keys.append(key)
      references.append(reference)
    }
  }
}

extension Manifest {
  /// How values of a key look; nil where nothing is known of them.
  fileprivate func format(of key: Key) -> FormatPattern? { providers[key.facts.provider]?.format }
}
