import Crypto
import FoundationEssentials
import KeyplanCore
import KeyplanSecrets

/// The subkeys of one epoch: HKDF-SHA-256 (RFC 5869) of the root key, each for one purpose.
/// One object, because each fingerprint takes them out of the store's lock.
final class EpochKeys: Sendable {
  let store: [UInt8]
  let epoch: Int64
  /// Kept so that the keyring can be wrapped for others.
  let root: SymmetricKey
  /// A public commitment to the root key, for pinning: it names the root and says nothing about it.
  let rootID: [UInt8]
  /// Seals records. Apart from `secrets`, so that it can be given to somebody who may plan and open no secret.
  let records: SymmetricKey
  // HMACs that have taken in their keys: copying one saves a third of what a fingerprint costs.
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

  /// The blind index of a thing: equal names of one kind give equal ids, and without the key an id says nothing.
  func id(_ kind: String, _ name: some Collection<UInt8>) -> RowID {
    var fields = LengthPrefixed()
    fields.append(kind)
    fields.append(name)
    var code = index
    code.update(data: fields.bytes)
    guard let id = code.finalize().withUnsafeBytes({ RowID($0.prefix(16)) }) else {
      preconditionFailure("SHA-256 gives 32 bytes")
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

  /// What stands for the fingerprint of a value that is kept nowhere any more, when the root changes: equal ones stay equal,
  /// and none equals that of a value.
  func fingerprint(ofLost old: Fingerprint, in record: RowID) -> Fingerprint {
    var fields = LengthPrefixed()
    fields.append(record.bytes)
    fields.append("lost")
    fields.append(old.bytes)
    var code = fingerprints
    code.update(data: fields.bytes)
    return Self.fingerprint(code)
  }

  /// The key of one value and the commitment to it: the 64 bytes of HKDF-Expand (RFC 5869, 2.3) under the key of secrets.
  /// Its two HMACs stand here because the library's would take in their key anew for each value.
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

  /// Not by way of the code's iterator: it does not say how many there are, and the array would grow five times.
  private static func bytes(of code: HMAC<SHA256>) -> [UInt8] { code.finalize().withUnsafeBytes { Array($0) } }

  private static func fingerprint(_ code: HMAC<SHA256>) -> Fingerprint {
    guard let fingerprint = code.finalize().withUnsafeBytes({ Fingerprint($0.prefix(16)) }) else {
      preconditionFailure("SHA-256 gives 32 bytes")
    }
    return fingerprint
  }
}
