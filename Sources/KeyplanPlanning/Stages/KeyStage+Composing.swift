package import KeyplanModel

/// Values that are made of those of other keys.
///
/// Planned by the records alone: no value is made while planning, in any checkout. So a plan shows nothing of a value, whatever template and
/// targets a branch declares.
extension KeyStage {
  /// The states of all parts are known.
  mutating func planComposed(_ composition: Composition, for id: Identifier<Key>, _ key: Key) {
    guard !unsupported.contains(.key(id)) else { return }
    let record = recorded.keys[id]
    defer { if let record { reportRecorded(id, key, record) } }
    let missing = composition.parts.filter { states[$0]?.hasValue != true }
    guard missing.isEmpty else {
      guard let record else { return report(.key(id, .partsMissing(missing)), at: key.place) }
      return planUpdate(id, key, record)
    }
    let serving = Serving.worst(of: composition.parts.compactMap { states[$0]?.serving.inherited(from: $0) })
    guard serving.isServed else {
      guard let record else { return report(.key(id, .partUnusable(serving)), at: key.place) }
      return planUpdate(id, key, record)
    }
    guard let record else { return compose(composition, id, key, nil, because: .manifest, isNew: true) }
    guard !composition.parts.contains(where: isMixed) else { return planUpdate(id, key, record) }
    guard record.version.origin == composition.description else {
      return compose(composition, id, key, record, because: .manifest, isNew: !changed(composition, record).isEmpty)
    }
    guard !changed(composition, record).isEmpty else { return planUpdate(id, key, record) }
    let isNew = changed(composition, record).contains { states[$0]?.fingerprint != nil }
    compose(composition, id, key, record, because: .follows, isNew: isNew)
  }

  /// The parts whose value is another than that which the recorded value is made of, or may be.
  private func changed(_ composition: Composition, _ record: KeyRecord) -> [Identifier<Key>] {
    composition.parts.filter { part in
      guard let known = recorded.keys[part]?.version,
        record.version.parts.contains(where: { $0.key == part && $0.isSame(as: known) })
      else { return true }
      guard let state = states[part], state.isWritten else { return false }
      return state.fingerprint != known.fingerprint
    }
  }

  /// Whether a part of a key has a value that does not work with those of the other parts.
  private func isMixed(_ part: Identifier<Key>) -> Bool {
    guard part.whole != nil else { return false }
    let parts = context.wholes.parts(of: part).filter { manifest.keys[$0] != nil }
    return !parts.contains { states[$0]?.isWritten == true } && PartRecords(parts, in: recorded.keys).areMixed
  }

  /// - Parameter isNew: whether the value is another than the recorded one for certain.
  private mutating func compose(
    _ composition: Composition, _ id: Identifier<Key>, _ key: Key, _ record: KeyRecord?, because cause: Cause,
    isNew: Bool
  ) {
    let write = KeyWrite(key.facts, .composed(composition))
    let waited = composition.parts.filter { states[$0]?.isWritten == true }.sorted().map(Address.key)
    add(
      .key(id, record == nil ? .store(write) : .replace(write)), because: cause,
      on: Precondition(revision: record?.revision), after: waited + surfaces(of: key))
    states.compose(id, key, isNew ? .ofNewValue : nil, of: composition.parts)
  }
}

extension Manifest {
  /// The declared keys whose values are made of those of these keys, directly or through others; without these keys themselves.
  package func composed(of ids: some Sequence<Identifier<Key>>) -> Set<Identifier<Key>> {
    guard !composed.keys.isEmpty else { return [] }
    let start = Set(ids)
    var found = start
    // Each comes after those that it is made of.
    for id in composed.keys where keys[id]?.composition?.parts.contains(where: found.contains) == true {
      found.insert(id)
    }
    return found.subtracting(start)
  }
}
