import Crypto
import FoundationEssentials
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The key that seals the values of keys that only some recipients may open: 32 random bytes, which nothing in the store
/// derives. It is stored as an age file for those recipients alone, in a slot of the keyring, so that the digest's root
/// binds it.
///
/// Everything but the values stays under the root key, so that all recipients plan alike.
struct GroupKey: Sendable {
  let id: RowID
  private let store: [UInt8]
  private let epoch: Int64
  private let key: SymmetricKey
  private let values: HMAC<SHA256>

  /// A new key.
  init(new id: RowID, under keys: EpochKeys) {
    self.init(id, SymmetricKey(size: .bits256), store: keys.store, epoch: keys.epoch)
  }

  private init(_ id: RowID, _ key: SymmetricKey, store: [UInt8], epoch: Int64) {
    (self.id, self.key, self.store, self.epoch) = (id, key, store, epoch)
    let info = Array("keyplan/kp1/group/\(epoch)".utf8)
    values = HMAC(
      key: HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: store, info: info, outputByteCount: 32))
  }

  /// The key of one value and its commitment, as `EpochKeys.valueKey`.
  func valueKey(_ info: [UInt8]) -> (SymmetricKey, commitment: [UInt8]) { EpochKeys.valueKey(info, under: values) }

  // MARK: In the keyring

  private static let lead = "group-"

  /// The slot of its file.
  static func slot(_ id: RowID) -> String { lead + id.bytes.hexadecimal }

  /// The group whose file is in a slot; nil for other slots. Both classes of recipients have the same.
  static func id(slot: String) -> RowID? {
    guard slot.hasPrefix(lead) else { return nil }
    var digits = Array(slot.utf8.dropFirst(lead.utf8.count).prefix(32))
    return digits.withUnsafeMutableBytes { hexadecimal(Slice(base: UnsafeRawBufferPointer($0), bounds: 0..<$0.count)) }
      .flatMap { RowID($0) }
  }

  /// Names and public keys, so that another person with the same name is another group.
  static func id(of members: [Identifier<Recipient>: Recipient], under keys: EpochKeys) -> RowID {
    var fields = LengthPrefixed()
    for (name, recipient) in members.sorted(by: { $0.key < $1.key }) {
      fields.append(name.name)
      fields.append(recipient.publicKey)
    }
    return keys.id("group", fields.bytes)
  }

  /// The keys of all groups whose file one of the identities opens. The header has been verified.
  static func open(
    _ header: Header, under keys: EpochKeys, with identities: [Identity]
  ) throws(StoreError) -> [RowID: GroupKey] {
    guard !keys.isPlanOnly else { return [:] }
    var groups: [RowID: GroupKey] = [:]
    for id in Set(header.keyring.keys.compactMap { Self.id(slot: $0) }) {
      do throws(StoreError) {
        guard
          let group = GroupKey(try EpochKeys.decrypted(slot(id), of: header, with: identities), id, keys)
        else { throw EpochKeys.newerKeyring }
        groups[id] = group
      } catch {
        guard error.code == .wrongIdentity else { throw error }
      }
    }
    return groups
  }

  /// Whether one of the identities opens a group's file.
  static func canOpen(_ file: [UInt8], with identities: [Identity]) throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try EpochKeys.decrypted(file, with: identities)
      return true
    } catch {
      guard error.code == .wrongIdentity else { throw error }
      return false
    }
  }

  /// Parses `text`, which must be exactly as this version writes it, for this group of this epoch.
  private init?(_ text: borrowing Secret, _ id: RowID, _ keys: EpochKeys) {
    let key: SymmetricKey? = text.withBytes { bytes in
      let pieces = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      guard pieces.count == 23, var key = hexadecimal(pieces[21]), key.count == 32 else { return nil }
      defer { key.withUnsafeMutableBytes { zero($0) } }
      return SymmetricKey(data: key)
    }
    guard let key else { return nil }
    self.init(id, key, store: keys.store, epoch: keys.epoch)
    guard self.text().equals(text) else { return nil }
  }

  private func text() -> Secret {
    var text = Array(#"{"format":"kp1","role":"group","store":""#.utf8)
    // Enough for all of it, so that no outgrown buffer with the key remains in memory.
    text.reserveCapacity(512)
    text.append(hexadecimal: store)
    text.append(contentsOf: #"","epoch":\#(epoch),"group":""#.utf8)
    text.append(hexadecimal: id.bytes)
    text.append(contentsOf: #"","key":""#.utf8)
    key.withUnsafeBytes { text.append(hexadecimal: $0) }
    text.append(contentsOf: "\"}\n".utf8)
    return Secret(text)
  }

  /// The age files for the members, by slot.
  func files(
    for members: [AgeRecipient], plugins: any PluginRunning
  ) throws(StoreError) -> [String: [UInt8]] {
    do throws(AgeError) {
      return try RecipientClass.files(Self.slot(id), of: text(), for: members, plugins: plugins)
    } catch {
      throw .notEncrypted("The key of some recipients", error)
    }
  }
}

/// The group whose key seals a value, and the key that the value belongs to.
struct ValueGroup {
  let id: RowID
  let key: Identifier<Key>
  let recipients: [Identifier<Recipient>]

  /// The error for an identity that is not among them.
  var closed: StoreError { .otherRecipients(of: key, recipients) }
}

extension StoreError {
  /// The error for a key's value that is only for these recipients.
  static func otherRecipients(
    of key: Identifier<Key>, _ recipients: [Identifier<Recipient>]
  ) -> StoreError {
    let names = recipients.map(\.name).joined(separator: ", ")
    return StoreError(
      .otherRecipients, "The value of the key \(key) is only for \(names).",
      hint: "Use the identity of one of these recipients, or ask them to run this command.")
  }
}
