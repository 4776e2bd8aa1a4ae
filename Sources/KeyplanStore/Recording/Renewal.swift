import KeyplanModel
import KeyplanPorts

/// A store with a new root key: every row is sealed again, every fingerprint is derived again from its value. Additions are sealed at
/// once, so that no more than the rows is in memory, whatever the size of the store.
///
/// A fingerprint whose value is no longer stored (a rejected value, or one at a target, that has left the history)
/// cannot be derived. Its replacement matches no value: such an entry is treated as changed, and is synced again.
struct Renewal {
  private var next: CommitBuilder
  private let forgotten: [RowID: StateRecord.Forgotten]
  /// The new fingerprints of stored values, by the old ones, which differ from key to key.
  private var fingerprints: [Fingerprint: Fingerprint] = [:]
  /// They name fingerprints of all keys, so that they come last.
  private var targets: [StoredTarget] = []

  init(of old: CommitBuilder) throws(StoreError) {
    let keyring = Keyring(after: old.sealer.keys)
    var start = old.header
    start.epoch = keyring.epoch
    start.count = 0
    start.buckets = Digest.emptyBuckets
    start.keyring = [:]
    next = CommitBuilder(Sealer(keys: try keyring.subkeys()), start, old.state, at: old.now)
    next.wrapsKeyring = true
    next.plugins = old.plugins
    next.state.seals = 0
    forgotten = Dictionary(old.state.forgotten.map { (old.sealer.keys.id(of: $0), $0) }) { $1 }
  }

  private var keys: EpochKeys { next.sealer.keys }

  /// - Parameters:
  ///   - id: of the record's row in the old commit.
  ///   - old: has the record's values.
  mutating func add(_ record: StoredRecord, at id: RowID, from old: CommitBuilder) throws(StoreError) {
    switch record {
    case .state: return
    case .key(let key):
      let new = try renewed(key, old)
      fingerprints.merge(new.fingerprints) { $1 }
      next.written[keys.id(of: key.name)] = .key(new.key)
    case .account(let account):
      let (new, value) = try old.renewed(account, under: keys)
      if let value { next.newValues[value.binding.salt] = value }
      next.written[keys.id(of: account.name)] = .account(new)
    case .slot(let slot): next.written[keys.id(of: slot.name)] = .slot(slot)
    case .target(let target):
      targets.append(target)
      return
    case .forgotten(let key, let moment):
      guard let entry = forgotten[id] else { throw Sealer.tampered }
      next.written[keys.id(of: entry)] = .forgotten(try renewed(key, old).key, at: moment)
    }
    try next.seal()
  }

  private mutating func renewed(_ key: StoredKey, _ old: CommitBuilder) throws(StoreError) -> RenewedKey {
    let new = try old.renewed(key, as: key.name, under: keys, followedBy: try next.succeeding(key, old))
    next.newValues.merge(new.values) { $1 }
    return new
  }

  /// The batch that replaces everything, and the sealer of the new root key.
  mutating func finished() throws(StoreError) -> (Batch, Sealer) {
    for var target in targets {
      target.record.entries = target.record.entries.mapValues { entry in
        entry.renewed(
          key: entry.key,
          fingerprint: fingerprints[entry.fingerprint]
            ?? keys.fingerprint(ofLost: entry.fingerprint, in: keys.id(of: entry.key)))
      }
      next.written[keys.id(of: target.name)] = .target(target)
      try next.seal()
    }
    var batch = try next.sealed()
    batch.replacesAll = true
    return (batch, next.sealer)
  }
}
