/// What a person asks for once a value has leaked.
extension AmendmentDraft {
  /// Makes the current value unusable. Slots and targets follow with the next apply.
  mutating func revoke(_ id: Identifier<Key>, _ reason: String?) {
    guard let record = recorded.keys[id], record.revocation == nil else { return }
    add(
      .key(id, .revoke(KeyRevocation(version: record.version.number, reason: reason))),
      on: Precondition(revision: record.revision))
    var after = recorded
    after.keys[id] = record.revoking(reason: reason, revision: record.revision, at: now)
    look(ahead: after)
  }

  /// Deletes what is recorded of a key's values, for good.
  mutating func purge(_ id: Identifier<Key>, isAll: Bool) {
    let record = recorded.keys[id]
    let forgotten = recorded.forgotten.filter { $0.key == id }
    let earlier = (record?.history ?? []).map(\.number)
    let versions = isAll ? (record.map { [$0.version.number] } ?? []) + earlier : earlier
    guard !versions.isEmpty || !forgotten.isEmpty else { return }
    var after = recorded
    after.forgotten.removeAll { $0.key == id }
    let slots = isAll ? recorded.slots.inOrder.filter { $0.value.key == id } : []
    for (slot, active) in slots {
      add(.store(.deactivate(slot, was: id)), on: Precondition(revision: active.revision))
      after.slots[slot] = nil
    }
    let purge = KeyPurge(versions: versions.sorted(by: >), forgotten: forgotten.map(\.serial), isAll: isAll)
    add(.key(id, .purge(purge)), on: Precondition(revision: record?.revision), after: slots.map { .slot($0.key) })
    if let record { after.keys[id] = isAll ? nil : record.purged(revision: record.revision) }
    look(ahead: after)
    if isAll, let record { reportForgetting(id, record, slots.map(\.key)) }
  }
}
