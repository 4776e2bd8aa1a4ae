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

  /// Deletes the recorded values of a key permanently.
  mutating func purge(_ id: Identifier<Key>, isAll: Bool) {
    let parts = parts(of: id)
    let purges = parts.compactMap { part in purge(of: part, isAll: isAll).map { (key: part, purge: $0) } }
    guard !purges.isEmpty else { return }
    var after = recorded
    after.forgotten.removeAll { parts.contains($0.key) }
    let slots = isAll ? deactivate(parts, &after) : [:]
    for (part, purge) in purges {
      let record = recorded.keys[part]
      add(
        .key(part, .purge(purge)), on: Precondition(revision: record?.revision),
        after: slots[part, default: []].map(Address.slot))
      if let record { after.keys[part] = isAll ? nil : record.purged(revision: record.revision) }
    }
    look(ahead: after)
    guard isAll else { return }
    let records = records(of: id).parts
    for (part, record) in records {
      reportForgetting(part, record, slots[part, default: []], isOnly: recorded.keys.count == records.count)
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
