import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

extension StoreBackup {
  /// A record with its values. It is kept in its stored form, because a decoded one takes several times as much memory, and a crafted
  /// backup can have millions of them.
  struct Entry: Sendable {
    /// Nil for the key of a forgotten row.
    let address: Address?
    /// Of the row of a forgotten key.
    let forgotten: StateRecord.Forgotten?
    /// The value of a key that would be current.
    let current: SecretBox?
    /// The values of a key that are not revoked in the backup, its history included.
    let usable: [SecretBox]
    private let encoded: [UInt8]
    /// In the order of `bindings(of:under:)`.
    private let secrets: [SecretBox]

    struct Value: Sendable {
      let value: SecretBox
      let binding: Sealer.Binding
    }

    /// - Parameter values: all that the record describes.
    init(
      _ encoded: [UInt8], _ record: StoredRecord, _ forgotten: StateRecord.Forgotten?, _ values: [Value],
      under keys: EpochKeys
    ) {
      (self.encoded, self.forgotten) = (encoded, forgotten)
      secrets = values.map(\.value)
      switch record {
      case .key(let key):
        address = .key(key.name)
        current = values.first { $0.binding.revision == key.record.version.number }?.value
        let id = keys.id(of: key.name)
        usable =
          key.record.revoked.isEmpty
          ? secrets : secrets.filter { key.record.revocation(of: keys.fingerprint($0, in: id)) == nil }
        return
      case .slot(let slot): address = .slot(slot.name)
      case .target(let target): address = .target(target.name)
      case .account(let account): address = .calendar(account.name)
      case .state, .forgotten: address = nil
      }
      (current, usable) = (nil, [])
    }

    /// The number of values.
    var count: Int { secrets.count }

    func record() throws(StoreError) -> StoredRecord { try Self.decode(encoded) }

    /// - Parameters:
    ///   - record: the entry's own.
    ///   - keys: those of the backup.
    func values(of record: StoredRecord, under keys: EpochKeys) -> [Value] {
      zip(secrets, Self.bindings(of: record, under: keys)).map { Value(value: $0, binding: $1) }
    }

    /// The row of the entry's record.
    func id(of record: StoredRecord, under keys: EpochKeys) -> RowID? {
      switch record {
      case .state: nil
      case .key(let key): keys.id(of: key.name)
      case .slot(let slot): keys.id(of: slot.name)
      case .target(let target): keys.id(of: target.name)
      case .account(let account): keys.id(of: account.name)
      case .forgotten: forgotten.map { keys.id(of: $0) }
      }
    }

    static func decode(_ bytes: [UInt8]) throws(StoreError) -> StoredRecord {
      do throws(ByteReader.Malformed) {
        return try StoredRecord(decoding: bytes)
      } catch {
        throw StoreError(
          .newerVersion, "The backup contains a record that this version of keyplan cannot read.",
          hint: "Use a later version of keyplan.")
      }
    }

    /// The bindings of a record's values, in the order of its versions.
    static func bindings(of record: StoredRecord, under keys: EpochKeys) -> [Sealer.Binding] {
      switch record {
      case .key(let key), .forgotten(let key, _):
        let id = keys.id(of: key.name)
        return key.versions.compactMap { key.binding($0, in: id) }
      case .account(let account): return [account.binding(in: keys.id(of: account.name))].compactMap(\.self)
      case .state, .slot, .target: return []
      }
    }
  }
}
