internal import KeyplanModel

/// Amendments for leaked values.
extension AmendmentDraft {
  /// Makes the current value unusable, with all its parts. The consequences at slots and targets are planned even if it is revoked already:
  /// the command may have been interrupted.
  mutating func revoke(_ id: Identifier<Key>, _ reason: String?) {
    var after = recorded
    for (part, record) in records(of: id).parts where record.revocation == nil {
      add(
        .key(part, .revoke(KeyRevocation(version: record.version.number, reason: reason))),
        on: Precondition(revision: record.revision))
      after.keys[part] = record.revoking(reason: reason, revision: record.revision, at: now)
    }
    look(ahead: after)
  }

  /// Deletes the recorded values of a key permanently, and values that are made of them.
  mutating func purge(_ id: Identifier<Key>, isAll: Bool) {
    let whole = self.parts(of: id)
    let made = valuesMade(of: whole, isAll: isAll)
    let parts = whole + made.map(\.key)
    let purges =
      whole.compactMap { part in purge(of: part, isAll: isAll).map { (key: part, purge: $0) } } + made
    guard !purges.isEmpty else { return }
    var after = recorded
    after.forgotten.removeAll { parts.contains($0.key) }
    let slots = deactivate(purges.filter(\.purge.isAll).map(\.key), &after)
    for (part, purge) in purges {
      let record = recorded.keys[part]
      add(
        .key(part, .purge(purge)), on: Precondition(revision: record?.revision),
        after: slots[part, default: []].map(Address.slot))
      if let record { after.keys[part] = purge.isAll ? nil : record.purged(revision: record.revision) }
    }
    look(ahead: after)
    let gone = purges.filter(\.purge.isAll).compactMap { part, _ in recorded.keys[part].map { (part, $0) } }
    for (part, record) in gone {
      reportForgetting(part, record, slots[part, default: []], isOnly: recorded.keys.count == gone.count)
    }
    reportRemains(of: Set(whole), purges)
  }

  /// The values that are made of those that are deleted. They contain them, so that they are deleted, too: with `isAll` all of them, otherwise
  /// the earlier ones.
  private func valuesMade(
    of keys: [Identifier<Key>], isAll: Bool
  ) -> [(key: Identifier<Key>, purge: KeyPurge)] {
    let values = PartsOfValues(recorded.keys, recorded.forgotten)
    func isMade(_ version: KeyVersion) -> Bool {
      values.contents(of: version).contains { keys.contains($0.key) }
    }
    return recorded.dependents(of: keys, in: nil).sorted().compactMap { id in
      let record = recorded.keys[id]
      let isCurrent = isAll && record.map { isMade($0.version) } == true
      let earlier =
        (record?.history ?? [])
        + recorded.forgotten.filter { $0.key == id }.flatMap { old in
          [old.record.version] + old.record.history
        }
      guard isCurrent || earlier.contains(where: isMade) else { return nil }
      return purge(of: id, isAll: isCurrent).map { (id, $0) }
    }
  }

  /// Reports values that stay although they are made of one that is deleted: the next apply replaces them.
  private mutating func reportRemains(
    of keys: Set<Identifier<Key>>, _ purges: [(key: Identifier<Key>, purge: KeyPurge)]
  ) {
    let values = PartsOfValues(recorded.keys, recorded.forgotten)
    let gone = Set(purges.filter(\.purge.isAll).map(\.key))
    for id in recorded.dependents(of: keys, in: nil).sorted() where !gone.contains(id) {
      guard let record = recorded.keys[id] else { continue }
      let purged = values.contents(of: record.version).first { part in
        keys.contains(part.key) && recorded.keys[part.key].map { !part.isSame(as: $0.version) } ?? true
      }
      if let purged { report(.key(id, .containsPurged(purged.key)), at: manifest.keys[id]?.place) }
    }
  }

  /// Nil if no value of the key is to be deleted.
  private func purge(of id: Identifier<Key>, isAll: Bool) -> KeyPurge? {
    let record = recorded.keys[id]
    let forgotten = recorded.forgotten.filter { $0.key == id }
    let earlier = (record?.history ?? []).map(\.number)
    let versions = isAll ? (record.map { [$0.version.number] } ?? []) + earlier : earlier
    guard !versions.isEmpty || !forgotten.isEmpty else { return nil }
    return KeyPurge(versions: versions.sorted(by: >), forgotten: forgotten.map(\.serial), isAll: isAll)
  }
}
