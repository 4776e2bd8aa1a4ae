import Crypto
import FoundationEssentials
import KeyplanCore
import KeyplanSecrets

/// The subkeys of one epoch, each for one purpose: HKDF-SHA-256 (RFC 5869) of the root key. A class, because every
/// fingerprint copies it out of the store's lock.
final class EpochKeys: Sendable {
  let store: [UInt8]
  let epoch: Int64
  /// Kept to encrypt the keyring again.
  let root: SymmetricKey
  /// A public commitment to the root key, for pinning. It identifies the key without revealing anything about it.
  let rootID: [UInt8]
  /// Seals records. Separate from `secrets`, so that it could be given to users who may plan but not read secrets.
  let records: SymmetricKey
  // HMACs that are initialized with their keys: copying one saves a third of the time for a fingerprint.
  private let secrets: HMAC<SHA256>
  private let mac: HMAC<SHA256>
  private let index: HMAC<SHA256>
  private let fingerprints: HMAC<SHA256>
  private let plans: HMAC<SHA256>

  init(root: SymmetricKey, store: [UInt8], epoch: Int64) {
    func subkey(_ purpose: String, count: Int = 32) -> SymmetricKey {
      let info = Array("keyplan/kp1/\(purpose)/\(epoch)".utf8)
      return HKDF<SHA256>.deriveKey(inputKeyMaterial: root, salt: store, info: info, outputByteCount: count)
    }
    self.store = store
    self.epoch = epoch
    self.root = root
    rootID = subkey("id", count: 16).withUnsafeBytes { [UInt8]($0) }
    records = subkey("meta")
    secrets = HMAC(key: subkey("enc"))
    mac = HMAC(key: subkey("mac"))
    index = HMAC(key: subkey("idx"))
    fingerprints = HMAC(key: subkey("fp"))
    plans = HMAC(key: subkey("plan"))
  }

  /// A blind index: equal names of one kind have equal ids, and without the key an id reveals nothing.
  func id(_ kind: String, _ name: some Collection<UInt8>) -> RowID {
    var fields = LengthPrefixed()
    fields.append(kind)
    fields.append(name)
    var code = index
    code.update(data: fields.bytes)
    guard let id = code.finalize().withUnsafeBytes({ RowID($0.prefix(16)) }) else {
      preconditionFailure("SHA-256 returns 32 bytes")
    }
    return id
  }

  func id(of key: Identifier<Key>) -> RowID { id("key", key.name.utf8) }

  /// The fingerprint of a value in the domain of one key's record.
  func fingerprint(_ value: SecretBox, in record: RowID) -> Fingerprint {
    var fields = LengthPrefixed()
    fields.append(record.bytes)
    fields.append("secret")
    fields.appendLength(value.count)
    var code = fingerprints
    code.update(data: fields.bytes)
    value.withBytes { code.update(data: $0) }
    return Self.fingerprint(code)
  }

  /// The replacement, under a new root key, for the fingerprint of a value that is no longer stored: equal ones stay
  /// equal, but match no value.
  func fingerprint(ofLost old: Fingerprint, in record: RowID) -> Fingerprint {
    var fields = LengthPrefixed()
    fields.append(record.bytes)
    fields.append("lost")
    fields.append(old.bytes)
    var code = fingerprints
    code.update(data: fields.bytes)
    return Self.fingerprint(code)
  }

  /// The key of one value and its commitment: 64 bytes of HKDF-Expand (RFC 5869, 2.3) with the key for secrets.
  /// Computed with two HMACs here, because the library would initialize them again for each value.
  func valueKey(_ info: [UInt8]) -> (SymmetricKey, commitment: [UInt8]) {
    var first = secrets
    first.update(data: info + [1])
    let key = first.finalize()
    var second = secrets
    key.withUnsafeBytes { second.update(data: $0) }
    second.update(data: info + [2])
    return (SymmetricKey(data: key), Self.bytes(of: second))
  }

  func authenticate(_ bytes: [UInt8]) -> [UInt8] { Self.code(mac, bytes) }
  func sign(_ bytes: [UInt8]) -> [UInt8] { Self.code(plans, bytes) }

  private static func code(_ keyed: HMAC<SHA256>, _ bytes: [UInt8]) -> [UInt8] {
    var code = keyed
    code.update(data: bytes)
    return Self.bytes(of: code)
  }

  /// Faster than iterating over the code, whose length the iterator does not report, so that the array would grow five
  /// times.
  private static func bytes(of code: HMAC<SHA256>) -> [UInt8] { code.finalize().withUnsafeBytes { Array($0) } }

  private static func fingerprint(_ code: HMAC<SHA256>) -> Fingerprint {
    guard let fingerprint = code.finalize().withUnsafeBytes({ Fingerprint($0.prefix(16)) }) else {
      preconditionFailure("SHA-256 returns 32 bytes")
    }
    return fingerprint
  }
}
