internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Observer {
  /// Asks each key's sources in order. Only a definite *missing* moves on to the next one, so that a fallback is not
  /// contacted without need, and an outage never looks like a removal.
  func askSources(
    _ manifest: Manifest, _ recorded: Recorded, _ given: [Identifier<Key>: SecretBox],
    _ wanted: [Identifier<Key>: GeneratedValue?], only selection: Selection?, within limits: ObservationLimits
  ) async -> AskedSources {
    var resemblance = RenameDetector(manifest, recorded, fingerprints)
    var absences: [Identifier<Key>: String] = [:]
    var new = NewValues()
    var findings: [Identifier<Key>: SourceFinding] = [:]
    findings.reserveCapacity(manifest.keys.count)
    let unsupported = Set(manifest.unsupported.map(\.address))
    var round = Round(index: 0)
    for (id, key) in manifest.keysAsDeclared
    where !unsupported.contains(.key(id)) && selection?.contains(.key(id)) ?? true {
      let format = limits.format(of: id, key, in: manifest)
      if let value = wanted[id] {
        findings[id] = .wanted(value)
      } else if let value = given[id] {
        if limits.isTrusted {
          resemblance.look(at: value, of: id)
          new.look(at: value, of: id, from: nil)
        }
        findings[id] = .given(fingerprints.fingerprint(value, of: id), looksRight: looksRight(value, format))
      } else if !key.sources.isEmpty {
        round.add(Asked(id: id, sources: key.sources, format: format), within: limits, &findings)
      }
    }
    while !round.keys.isEmpty {
      round.dropChanged(within: limits, &findings)
      let answers = await read(round.references)
      var next = Round(index: round.index + 1)
      for (key, answer) in zip(round.keys, answers) {
        switch answer {
        case .missing where next.index < key.sources.count: next.add(key, within: limits, &findings)
        case .missing(let reason):
          findings[key.id] = .missing
          absences[key.id] = reason
        case .failed(let failure): findings[key.id] = .failed(index: round.index, failure)
        case .value(let value):
          let fingerprint = fingerprints.fingerprint(value, of: key.id)
          if limits.isTrusted, !recorded.keys.keys.contains(key.id) { resemblance.look(at: value, of: key.id) }
          let isRecorded = recorded.keys[key.id]?.version.fingerprint == fingerprint
          // In an untrusted checkout nothing is said about values.
          if limits.isTrusted, !isRecorded { new.look(at: value, of: key.id, from: key.sources[round.index]) }
          // What is recorded is right, whatever it looks like; the look is the dearer of the two.
          let isRight =
            key.format == nil || isRecorded || looksRight(value, key.format)
          findings[key.id] = .value(fingerprint, index: round.index, looksRight: isRight)
        }
      }
      round = next
    }
    return AskedSources(
      findings: findings, absences: absences, resembling: resemblance.found, doubts: doubts(about: new))
  }

  /// Asks the sources of new values what other programs read there.
  private func doubts(about new: NewValues) -> [Identifier<Key>: ValueDoubt] {
    var doubts = new.doubts
    for (scheme, values) in Dictionary(grouping: new.unsuspected, by: \.reference.scheme) {
      guard let source = sources[scheme] as? any DoubtingSource else { continue }
      for (value, doubt) in zip(values, source.doubts(about: values.map(\.reference))) { doubts[value.id] = doubt }
    }
    return doubts
  }

  /// Asks the places from which values are still to be adopted, or still to be taken away.
  func askOriginals(
    _ manifest: Manifest, _ recorded: Recorded, _ given: [Identifier<Key>: SecretBox], only selection: Selection?,
    within limits: ObservationLimits
  ) async -> [Identifier<Key>: SourceFinding] {
    var findings: [Identifier<Key>: SourceFinding] = [:]
    var asking: [(id: Identifier<Key>, reference: Reference)] = []
    for (id, migration) in manifest.adoptions(in: recorded) where given[id] == nil {
      guard selection?.contains(.key(id)) ?? true, let reference = migration.original else { continue }
      if limits.permitsUnrecorded(reference) {
        asking.append((id, reference))
      } else {
        findings[id] = .notAllowed(index: 0)
      }
    }
    for ((id, _), answer) in zip(asking, await read(asking.map(\.reference))) {
      switch answer {
      case .missing: findings[id] = .missing
      case .failed(let failure): findings[id] = .failed(index: 0, failure)
      case .value(let value):
        let format = manifest.keys[id].flatMap { limits.format(of: id, $0, in: manifest) }
        findings[id] = .value(
          fingerprints.fingerprint(value, of: id), index: 0, looksRight: looksRight(value, format))
      }
    }
    return findings
  }
}

/// The answers of the sources of keys.
struct AskedSources {
  let findings: [Identifier<Key>: SourceFinding]
  /// The reason that a source gives for having no value.
  let absences: [Identifier<Key>: String]
  let resembling: [Identifier<Key>: Identifier<Key>]
  let doubts: [Identifier<Key>: ValueDoubt]
}

/// The values that are not recorded yet, with what their own bytes make doubtful.
private struct NewValues {
  private(set) var doubts: [Identifier<Key>: ValueDoubt] = [:]
  private(set) var unsuspected: [(id: Identifier<Key>, reference: Reference)] = []

  mutating func look(at value: SecretBox, of id: Identifier<Key>, from reference: Reference?) {
    if let doubt = value.withBytes({ ValueDoubt(in: $0) }) {
      doubts[id] = doubt
    } else if let reference {
      unsuspected.append((id, reference))
    }
  }
}

extension ValueDoubt {
  /// Values of several lines, such as keys in PEM, may end with a line break.
  fileprivate init?(in bytes: UnsafeRawBufferPointer) {
    guard let first = bytes.first, let last = bytes.last else { return nil }
    let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } ?? bytes.startIndex
    guard !bytes[..<end].contains(UInt8(ascii: "\n")) else { return nil }
    if last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
      self = .endsWithLineBreak
    } else if [first, last].contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
      self = .hasOuterBlanks
    } else {
      return nil
    }
  }
}

/// The facts of a key that are needed to ask its sources.
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
    _ key: Asked, within limits: ObservationLimits, _ findings: inout [Identifier<Key>: SourceFinding]
  ) {
    let reference = key.sources[index]
    if let obstacle = limits.obstacle(reference, at: index, of: key.id) {
      findings[key.id] = obstacle
    } else {
      keys.append(key)
      references.append(reference)
    }
  }

  /// Takes the keys out whose files are tracked by git and were changed.
  mutating func dropChanged(
    within limits: ObservationLimits, _ findings: inout [Identifier<Key>: SourceFinding]
  ) {
    let changed = limits.changedContent(of: zip(keys, references).map { ($0.id, $1) })
    guard !changed.isEmpty else { return }
    let kept = zip(keys, references).filter { changed[$0.0.id] == nil }
    for (id, digest) in changed { findings[id] = .contentChanged(index: index, digest: digest) }
    (keys, references) = (kept.map(\.0), kept.map(\.1))
  }
}
