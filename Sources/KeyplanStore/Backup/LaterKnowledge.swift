import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// Facts about the values of a backup that became known after it was made: revocations, and recipients that have left. A restore brings
/// the values back, but not the time in which they could be used.
struct LaterKnowledge {
  /// The records that the existing store has of a key, the kept one and those that were forgotten, as far as anything of them became
  /// known that a backup can lack.
  private var records: [Identifier<Key>: [StoredKey]] = [:]
  private var accounts: [Identifier<Account>: AccountRecord] = [:]
  /// The rows of revoked values of the existing store.
  private var rows: [RowID: Row] = [:]
  /// Of the existing store.
  private let sealer: Sealer?
  private let leaving: [Exposure]

  /// - Parameters:
  ///   - store: the existing store; nil if there is none.
  ///   - leaving: the recipients that could read the backup's values, and cannot open the restored store.
  init(in store: StoreDump?, leaving: [Exposure]) throws(StoreError) {
    (sealer, self.leaving) = (store?.sealer, leaving)
    guard let store else { return }
    var revoked: Set<RowID> = []
    for row in store.whole.records {
      switch try store.sealer.record(in: row) {
      case .key(let key), .forgotten(let key, _):
        guard Self.isTold(key) else { break }
        records[key.name, default: []].append(key)
        let id = store.keys.id(of: key.name)
        for version in key.versions where key.record.revocation(of: version.fingerprint) != nil {
          if let binding = key.binding(version, in: id) { revoked.insert(store.sealer.valueID(binding)) }
        }
      case .account(let account): accounts[account.name] = account.record
      case .state, .slot, .target: break
      }
    }
    guard !revoked.isEmpty else { return }
    for row in store.whole.values where revoked.contains(row.id) { rows[row.id] = row }
  }

  /// Whether a record says anything that holds for the values of a backup, too.
  private static func isTold(_ key: StoredKey) -> Bool {
    !key.record.revoked.isEmpty || !key.record.issued.isEmpty || key.versions.contains { !$0.exposures.isEmpty }
  }

  /// Adds the current knowledge to the record of a backup.
  ///
  /// - Parameter keys: those of the backup, whose fingerprints its records have.
  /// - Returns: revoked values that only the existing store has, by their fingerprints in the result.
  func add(
    to record: inout StoredRecord, _ values: [StoreBackup.Entry.Value], under keys: EpochKeys
  ) throws(StoreError) -> [Fingerprint: SecretBox] {
    switch record {
    case .key(var key):
      let others = try add(to: &key, values, under: keys)
      record = .key(key)
      return others
    case .forgotten(var key, let moment):
      let others = try add(to: &key, values, under: keys)
      record = .forgotten(key, at: moment)
      return others
    case .account(var account):
      account.record = account.record.exposed(to: leaving + (accounts[account.name]?.signIn?.exposures ?? []))
      record = .account(account)
      return [:]
    case .state, .slot, .target: return [:]
    }
  }

  private func add(
    to key: inout StoredKey, _ values: [StoreBackup.Entry.Value], under keys: EpochKeys
  ) throws(StoreError) -> [Fingerprint: SecretBox] {
    var others: [Fingerprint: SecretBox] = [:]
    if let sealer, let told = records[key.name] {
      let (here, there) = (sealer.keys.id(of: key.name), keys.id(of: key.name))
      // The same values have other fingerprints in the existing store if it has another root key.
      var prints: [Fingerprint: Fingerprint] = [:]
      for value in values {
        prints[sealer.keys.fingerprint(value.value, in: here)] = keys.fingerprint(value.value, in: there)
      }
      for found in told {
        let kept = Dictionary(found.versions.map { ($0.fingerprint, $0) }) { first, _ in first }
        for revocation in found.record.revoked {
          var print = prints[revocation.fingerprint]
          if print == nil, let version = kept[revocation.fingerprint],
            let value = try value(version, of: found, sealer)
          {
            let new = keys.fingerprint(value, in: there)
            print = new
            others[new] = value
          }
          let new = print ?? keys.fingerprint(ofLost: revocation.fingerprint, in: there)
          guard key.record.revocation(of: new) == nil else { continue }
          key.record.revoked.append(
            Revocation(fingerprint: new, version: revocation.version, at: revocation.at, reason: revocation.reason))
        }
        // A key that was made since then is valid at its provider, and the restored store has no value of it.
        for issued in found.record.issued where !key.record.issued.contains(where: { $0.id == issued.id }) {
          key.record.issued.append(issued.replaced)
        }
        let known = found.versions.reduce(into: [Fingerprint: [Exposure]]()) { known, version in
          guard !version.exposures.isEmpty, let print = prints[version.fingerprint] else { return }
          known[print] = (known[print] ?? []).adding(version.exposures)
        }
        func exposed(_ version: KeyVersion) -> KeyVersion { version.exposed(to: known[version.fingerprint] ?? []) }
        key.record.version = exposed(key.record.version)
        key.record.history = key.record.history.map(exposed)
        key.record.pending = key.record.pending.map(exposed)
      }
      key.record.revoked.sort { $0.at < $1.at }
    }
    key.record = key.record.exposed(to: leaving)
    return others
  }

  /// A stored value; nil if it is not kept.
  private func value(
    _ version: KeyVersion, of key: StoredKey, _ sealer: Sealer
  ) throws(StoreError) -> SecretBox? {
    guard let binding = key.binding(version, in: sealer.keys.id(of: key.name)) else { return nil }
    return try rows[sealer.valueID(binding)].map { row throws(StoreError) in try sealer.open(value: row, binding) }
  }
}
