import Crypto
import FoundationEssentials
import KeyplanPorts
import KeyplanSecrets

/// Seals and opens the rows of one epoch. The number of the algorithm is part of the authenticated data; each table has
/// exactly one, and others are rejected.
struct Sealer: Sendable {
  let keys: EpochKeys
  /// The keys for values that only some recipients open, as far as the identity in use has them.
  var groups: [RowID: GroupKey]
  // The common beginning of the associated data of all rows of a table.
  private let recordLead: LengthPrefixed
  private let valueLead: LengthPrefixed

  init(keys: EpochKeys, groups: [RowID: GroupKey] = [:]) {
    func lead(_ algorithm: Int64, _ table: String) -> LengthPrefixed {
      var fields = LengthPrefixed()
      fields.append(StoreFormat.name)
      fields.append(keys.store)
      fields.append(keys.epoch)
      fields.append(algorithm)
      fields.append(table)
      return fields
    }
    self.keys = keys
    self.groups = groups
    recordLead = lead(Self.recordAlgorithm, "records")
    valueLead = lead(Self.valueAlgorithm, "secrets")
  }

  /// AES-256-GCM under the epoch's record key with a random nonce; sealed = nonce (12) ‖ ciphertext ‖ tag (16).
  static let recordAlgorithm: Int64 = 1
  /// AES-256-GCM under its own key with a commitment; sealed = commitment (32) ‖ ciphertext ‖ tag (16).
  static let valueAlgorithm: Int64 = 2
  /// The number of records that one key may seal with random nonces (NIST SP 800-38D, 8.3).
  static let sealLimit: Int64 = 1 << 32

  func seal(record plaintext: [UInt8], as id: RowID) throws(StoreError) -> Row {
    var padded: [UInt8] = []
    padded.reserveCapacity(Padding.size(of: plaintext.count))
    padded.append(bigEndian: UInt32(plaintext.count))
    padded.append(contentsOf: plaintext)
    padded.append(contentsOf: repeatElement(0, count: Padding.size(of: plaintext.count) - padded.count))
    let data = recordData(id)
    guard let box = try? AES.GCM.seal(padded, using: keys.records, authenticating: data), let sealed = box.combined
    else { throw Self.unusable }
    return Row(id: id, epoch: keys.epoch, algorithm: Self.recordAlgorithm, sealed: Array(sealed))
  }

  func open(record row: Row) throws(StoreError) -> [UInt8] {
    try require(row, Self.recordAlgorithm)
    let data = recordData(row.id)
    guard let box = try? AES.GCM.SealedBox(combined: row.sealed),
      let opened = try? AES.GCM.open(box, using: keys.records, authenticating: data)
    else { throw Self.tampered }
    let plaintext = opened.withUnsafeBytes { padded in Padding.content(of: padded).map { Array(padded[$0]) } }
    guard let plaintext else { throw Self.tampered }
    return plaintext
  }

  /// The context of a value. All of it is authenticated with the value, and none of it is in the value's row.
  struct Binding {
    /// The id of the record to which it belongs.
    let record: RowID
    /// The kind of that record, and the field whose value it is.
    var kind = "key"
    var field = "secret"
    let revision: Int64
    let created: Int64
    /// 32 random bytes, kept in the sealed record: an older row with the same id cannot be opened with them.
    let salt: [UInt8]
    /// The group whose key seals it; nil for the root key's.
    var group: ValueGroup?
  }

  static func salt() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { [UInt8]($0) } }

  func seal(value: SecretBox, _ binding: Binding) throws(StoreError) -> Row {
    let size = Padding.size(of: value.count)
    let padded = Secret(count: size) { memory in
      for index in 0..<4 { memory[index] = UInt8(truncatingIfNeeded: value.count >> (24 - 8 * index)) }
      value.withBytes { UnsafeMutableRawBufferPointer(rebasing: memory[4...]).copyMemory(from: $0) }
      UnsafeMutableRawBufferPointer(rebasing: memory[(4 + value.count)...]).initializeMemory(
        as: UInt8.self, repeating: 0)
    }
    let id = valueID(binding)
    let data = valueData(binding)
    let (key, commitment) = try valueKey(binding, data)
    guard let nonce = Self.onlyNonce,
      let box = try? padded.withBytes({ try AES.GCM.seal($0, using: key, nonce: nonce, authenticating: data) })
    else { throw Self.unusable }
    return Row(
      id: id, epoch: keys.epoch, algorithm: Self.valueAlgorithm,
      sealed: commitment + Array(box.ciphertext) + Array(box.tag))
  }

  /// - Parameter id: the binding's `valueID`, if it is known.
  func open(value row: Row, _ binding: Binding, at id: RowID? = nil) throws(StoreError) -> SecretBox {
    try require(row, Self.valueAlgorithm)
    let data = valueData(binding)
    let (key, commitment) = try valueKey(binding, data)
    guard row.id == id ?? valueID(binding), row.sealed.count >= 48, isEqual(row.sealed[..<32], commitment),
      let nonce = Self.onlyNonce,
      let box = try? AES.GCM.SealedBox(
        nonce: nonce, ciphertext: row.sealed[32..<row.sealed.count - 16], tag: row.sealed.suffix(16)),
      var opened = try? AES.GCM.open(box, using: key, authenticating: data)
    else { throw Self.tampered }
    defer { opened.withUnsafeMutableBytes { zero($0) } }
    let value = opened.withUnsafeBytes { padded in
      Padding.content(of: padded).map {
        SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: padded[$0])))
      }
    }
    guard let value else { throw Self.tampered }
    return value
  }

  /// The id of the value's row, derived from the salt only, so that versions of one key do not look related.
  func valueID(_ binding: Binding) -> RowID { keys.id("value", binding.salt) }

  // The key is used only once, because the salt is random; therefore the nonce can be zero.
  private static var onlyNonce: AES.GCM.Nonce? { try? AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)) }

  private func valueKey(
    _ binding: Binding, _ data: [UInt8]
  ) throws(StoreError) -> (SymmetricKey, commitment: [UInt8]) {
    guard let group = binding.group else { return try keys.valueKey(binding.salt + data) }
    if keys.isPlanOnly { throw EpochKeys.planOnly }
    guard let key = groups[group.id] else { throw group.closed }
    return key.valueKey(binding.salt + data)
  }

  private func recordData(_ id: RowID) -> [UInt8] {
    Self.associatedData(recordLead, id.bytes, kind: "", field: "metadata", revision: 0, created: 0).bytes
  }

  private func valueData(_ binding: Binding) -> [UInt8] {
    var fields = Self.associatedData(
      valueLead, binding.record.bytes, kind: binding.kind, field: binding.field, revision: binding.revision,
      created: binding.created)
    if let group = binding.group { fields.append(group.id.bytes) }
    return fields.bytes
  }

  private static func associatedData(
    _ lead: LengthPrefixed, _ record: [UInt8], kind: String, field: String, revision: Int64, created: Int64
  ) -> LengthPrefixed {
    var fields = LengthPrefixed(lead)
    fields.append(record)
    fields.append(kind)
    fields.append(field)
    fields.append(revision)
    fields.append(created)
    return fields
  }

  private func require(_ row: Row, _ algorithm: Int64) throws(StoreError) {
    guard row.epoch == keys.epoch, row.algorithm == algorithm else { throw Self.tampered }
  }

  static let tampered = StoreError(
    .tampered, "A row of the store is not authentic: it is damaged, or was changed without the key.",
    hint: Database.fromBackup)
  static let unusable = StoreError(.io, "The cryptographic library failed.")
}

/// Compares in constant time, which depends only on the lengths.
func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
