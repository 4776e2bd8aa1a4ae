import KeyplanModel
import KeyplanPorts

extension CommitBuilder {
  /// Renames a key. Its row id, the sealing of its values and its fingerprints all depend on the name, so everything is
  /// created again in this commit, and the old rows are removed.
  mutating func move(_ old: Identifier<Key>, to new: Identifier<Key>) throws(StoreError) {
    let keys = sealer.keys
    let (oldID, newID) = (keys.id(of: old), keys.id(of: new))
    guard let before = try key(oldID) else {
      throw StoreError(.notRecorded, "No key is recorded under the name \(old).")
    }
    guard try key(newID) == nil else { throw StoreError(.exists, "The name \"\(new)\" is in use by another key.") }
    let revision = header.serial + 1
    var moved = try renewed(before, as: new, under: keys)
    moved.key.record.revision = revision
    drop(Array(before.salts.keys), of: before)
    newValues.merge(moved.values) { $1 }
    remove(oldID)
    set(newID, .key(moved.key))
    state.attempts = state.attempts.mapValues { attempt in
      WriteAttempt(destination: attempt.destination, names: attempt.names.mapValues { $0 == old ? new : $0 })
    }
    if let mint = state.mints.removeValue(forKey: old) { state.mints[new] = mint }
    if let failure = state.failures.removeValue(forKey: .key(old)) { state.failures[.key(new)] = failure }
    state.guards = state.guards.moving([old: new])
    for id in Set(rows.keys).union(written.keys) {
      switch try record(id) {
      case .slot(var slot)? where slot.record.key == old:
        slot.record.key = new
        slot.record.revision = revision
        set(id, .slot(slot))
      case .key(var key)? where key.record.isMade(ofOneOf: [old]):
        key.record = key.record.renamingParts([old: new])
        key.record.revision = revision
        set(id, .key(key))
      case .forgotten(var key, let moment)? where key.record.isMade(ofOneOf: [old]):
        key.record = key.record.renamingParts([old: new])
        set(id, .forgotten(key, at: moment))
      case .target(var target)? where target.record.entries.values.contains { $0.key == old }:
        target.record.entries = target.record.entries.mapValues { $0.key == old ? moved.entry($0, under: keys) : $0 }
        target.record.revision = revision
        set(id, .target(target))
      default: break
      }
    }
  }
}
