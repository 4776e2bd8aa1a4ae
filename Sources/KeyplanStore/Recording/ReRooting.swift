import KeyplanApply
import KeyplanCore
import KeyplanSecrets

extension Draft {
  /// The same store under a fresh root key: every row sealed anew, every fingerprint derived anew from its value.
  ///
  /// A fingerprint whose value is kept nowhere any more (a rejected value, or one at a target, that has left the history)
  /// cannot be derived. What stands for it equals no value's: such an entry is seen as changed there and is synced again.
  func reRooted() throws(StoreError) -> (Batch, EpochKeys) {
    let keyring = Keyring(after: sealer.keys)
    let fresh = Sealer(keys: keyring.keys)
    var start = header
    start.epoch = keyring.epoch
    start.count = 0
    start.buckets = Digest.emptyBuckets
    var next = Draft(fresh, start, state, at: now)
    next.wrapsKeyring = true
    next.state.seals = 0

    var renewed: [Identifier<Key>: [Fingerprint: Fingerprint]] = [:]
    var targets: [(Identifier<Target>, TargetRecord)] = []
    let forgotten = Dictionary(state.forgotten.map { (sealer.keys.id(of: $0), $0) }) { $1 }
    for id in Set(rows.keys).union(written.keys) {
      switch try record(id) {
      case nil, .state?: break
      case .key(let key)?:
        next.written[fresh.keys.id(of: key.name)] = .key(try renew(key, in: &next, &renewed))
      case .slot(let name, let slot)?: next.written[fresh.keys.id(of: name)] = .slot(name, slot)
      case .target(let name, let target)?: targets.append((name, target))
      case .forgotten(let key, let moment)?:
        guard let entry = forgotten[id] else { throw Sealer.tampered }
        next.written[fresh.keys.id(of: entry)] = .forgotten(try renew(key, in: &next, &renewed), at: moment)
      }
    }
    for (name, target) in targets {
      var target = target
      target.entries = target.entries.mapValues { entry in
        TargetRecord.Entry(
          key: entry.key,
          fingerprint: renewed[entry.key]?[entry.fingerprint]
            ?? fresh.keys.fingerprint(ofLost: entry.fingerprint, in: fresh.keys.id(of: entry.key)),
          syncedAt: entry.syncedAt)
      }
      next.written[fresh.keys.id(of: name)] = .target(name, target)
    }
    var batch = try next.sealed()
    batch.replacesAll = true
    return (batch, fresh.keys)
  }

  private func renew(
    _ key: StoredKey, in next: inout Draft, _ renewed: inout [Identifier<Key>: [Fingerprint: Fingerprint]]
  ) throws(StoreError) -> StoredKey {
    let oldID = sealer.keys.id(of: key.name)
    let newID = next.sealer.keys.id(of: key.name)
    var salts: [Int64: [UInt8]] = [:]
    for version in key.versions {
      guard let binding = key.binding(version, in: oldID) else { continue }
      let value = try keptValue(binding)
      let salt = Sealer.salt()
      salts[version.number] = salt
      next.newValues[salt] = (
        value,
        Sealer.Binding(record: newID, revision: binding.revision, created: binding.created, salt: salt)
      )
      renewed[key.name, default: [:]][version.fingerprint] = next.sealer.keys.fingerprint(value, in: newID)
    }
    func fingerprint(_ old: Fingerprint) -> Fingerprint {
      renewed[key.name]?[old] ?? next.sealer.keys.fingerprint(ofLost: old, in: newID)
    }
    func version(_ old: KeyVersion) -> KeyVersion {
      KeyVersion(
        number: old.number, fingerprint: fingerprint(old.fingerprint), storedAt: old.storedAt, origin: old.origin)
    }
    var record = key.record
    record.version = version(record.version)
    record.history = record.history.map(version)
    record.rejected = record.rejected.map(fingerprint)
    return StoredKey(name: key.name, record: record, salts: salts)
  }

  private func keptValue(_ binding: Sealer.Binding) throws(StoreError) -> SharedSecret {
    if let new = newValues[binding.salt] { return new.value }
    guard let row = try readValue(sealer.valueID(binding)) else { throw Sealer.tampered }
    return try sealer.open(value: row, binding)
  }
}
