import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

extension CommitBuilder {
  /// The same store with a new root key.
  func withFreshRoot() throws(StoreError) -> (Batch, Sealer) {
    var renewal = try Renewal(of: self)
    for id in Set(rows.keys).union(written.keys) {
      if let record = try record(id) { try renewal.add(record, at: id, from: self) }
    }
    return try renewal.finished()
  }

  /// The key with another name or root key: its values with new salts, its fingerprints in the new domain.
  /// - Parameter next: the record and the group that replace the key's own; nil to keep them.
  func renewed(
    _ key: StoredKey, as name: Identifier<Key>, under keys: EpochKeys, followedBy next: StoredKey? = nil
  ) throws(StoreError) -> RenewedKey {
    let next = next ?? key
    let oldID = sealer.keys.id(of: key.name)
    let newID = keys.id(of: name)
    var renewed = RenewedKey(
      key: StoredKey(name: name, record: next.record, salts: [:], unknown: key.unknown, group: next.group))
    for version in key.versions {
      guard let binding = key.binding(version, in: oldID) else { continue }
      let value = try keptValue(binding)
      let salt = Sealer.salt()
      renewed.key.salts[version.number] = salt
      renewed.values[salt] = (
        value,
        Sealer.Binding(
          record: newID, revision: binding.revision, created: binding.created, salt: salt,
          group: renewed.key.valueGroup)
      )
      renewed.fingerprints[version.fingerprint] = keys.fingerprint(value, in: newID)
    }
    for old in key.record.revoked.map(\.fingerprint) {
      if let value = knownValues[old] { renewed.fingerprints[old] = keys.fingerprint(value, in: newID) }
    }
    func version(_ old: KeyVersion) -> KeyVersion { old.renewed(renewed.fingerprint(old.fingerprint, under: keys)) }
    renewed.key.record.version = version(key.record.version)
    renewed.key.record.history = key.record.history.map(version)
    renewed.key.record.pending = key.record.pending.map(version)
    renewed.key.record.rejected = key.record.rejected.map { renewed.fingerprint($0, under: keys) }
    renewed.key.record.revoked = key.record.revoked.map { revocation in
      Revocation(
        fingerprint: renewed.fingerprint(revocation.fingerprint, under: keys), version: revocation.version,
        at: revocation.at, reason: revocation.reason)
    }
    return renewed
  }

  func keptValue(_ binding: Sealer.Binding) throws(StoreError) -> SecretBox {
    if let new = newValues[binding.salt] { return new.value }
    guard let row = try readValue(sealer.valueID(binding)) else { throw Sealer.tampered }
    return try sealer.open(value: row, binding)
  }
}

/// A key with another name or root key.
struct RenewedKey {
  var key: StoredKey
  /// Its values by their new salts.
  var values: [[UInt8]: (value: SecretBox, binding: Sealer.Binding)] = [:]
  /// The new fingerprints of stored values, by the old ones.
  var fingerprints: [Fingerprint: Fingerprint] = [:]

  /// The replacement for a fingerprint in the new domain.
  func fingerprint(_ old: Fingerprint, under keys: EpochKeys) -> Fingerprint {
    fingerprints[old] ?? keys.fingerprint(ofLost: old, in: keys.id(of: key.name))
  }

  /// The entry of a target that contains, or contained, one of its values.
  func entry(_ old: TargetRecord.Entry, under keys: EpochKeys) -> TargetRecord.Entry {
    old.renewed(key: key.name, fingerprint: fingerprint(old.fingerprint, under: keys))
  }
}
