import Crypto
import FoundationEssentials
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The subkeys of one epoch, each for one purpose: HKDF-SHA-256 (RFC 5869) of the root key. A class, because every
/// fingerprint copies it out of the store's lock.
///
/// Recipients that can only plan have some of them: enough to verify the store, to read its records and to compare
/// fingerprints. They can neither open or seal a value, nor authenticate a change.
final class EpochKeys: Sendable {
  let store: [UInt8]
  let epoch: Int64
  /// Seals records.
  let records: SymmetricKey
  /// The keys that only recipients with full access have.
  private let full: Full?
  /// The Ed25519 public key (RFC 8032) that verifies the root and saved plans.
  private let verifying: [UInt8]
  private let planning: PlanningKeys
  // HMACs that are initialized with their keys: copying one saves a third of the time for a fingerprint.
  private let rows: HMAC<SHA256>
  private let index: HMAC<SHA256>
  private let fingerprints: HMAC<SHA256>
  private let plans: HMAC<SHA256>
  /// A public commitment for pinning: to the public key, so that everyone who verifies with that key computes the same.
  let rootID: [UInt8]

  private struct Full {
    /// Kept to encrypt the keyring again.
    let root: SymmetricKey
    let secrets: HMAC<SHA256>
    let mac: HMAC<SHA256>
    let signing: Curve25519.Signing.PrivateKey
  }

  /// - Throws: `io` if the cryptographic library fails.
  init(root: SymmetricKey, store: [UInt8], epoch: Int64) throws(StoreError) {
    func subkey(_ purpose: String) -> SymmetricKey {
      let info = Array("keyplan/\(StoreFormat.name)/\(purpose)/\(epoch)".utf8)
      return HKDF<SHA256>.deriveKey(inputKeyMaterial: root, salt: store, info: info, outputByteCount: 32)
    }
    let seed = subkey("sign")
    guard let signing = try? seed.withUnsafeBytes({ try Curve25519.Signing.PrivateKey(rawRepresentation: $0) }) else {
      throw Sealer.unusable
    }
    verifying = [UInt8](signing.publicKey.rawRepresentation)
    full = Full(root: root, secrets: HMAC(key: subkey("enc")), mac: HMAC(key: subkey("mac")), signing: signing)
    planning = PlanningKeys(
      records: subkey("meta"), rows: subkey("rows"), index: subkey("idx"), fingerprints: subkey("fp"),
      plans: subkey("plan"))
    rootID = Self.rootID(of: verifying, store: store, epoch: epoch)
    (self.store, self.epoch) = (store, epoch)
    records = planning.records
    rows = HMAC(key: planning.rows)
    index = HMAC(key: planning.index)
    fingerprints = HMAC(key: planning.fingerprints)
    plans = HMAC(key: planning.plans)
  }

  /// The keys of a recipient that can only plan.
  init(_ planning: PlanningKeys, verifying: [UInt8], store: [UInt8], epoch: Int64) {
    full = nil
    self.verifying = verifying
    self.planning = planning
    rootID = Self.rootID(of: verifying, store: store, epoch: epoch)
    (self.store, self.epoch) = (store, epoch)
    records = planning.records
    rows = HMAC(key: planning.rows)
    index = HMAC(key: planning.index)
    fingerprints = HMAC(key: planning.fingerprints)
    plans = HMAC(key: planning.plans)
  }

  private static func rootID(of verifying: [UInt8], store: [UInt8], epoch: Int64) -> [UInt8] {
    var fields = LengthPrefixed()
    fields.append("keyplan/\(StoreFormat.name)/root-id")
    fields.append(store)
    fields.append(epoch)
    fields.append(verifying)
    return Array(SHA256.hash(data: fields.bytes).prefix(16))
  }

  /// Whether these are the keys of a recipient that can only plan.
  var isPlanOnly: Bool { full == nil }

  /// The keyring for recipients with full access.
  var keyring: Keyring {
    get throws(StoreError) { Keyring(store: store, epoch: epoch, root: try requireFull().root) }
  }

  /// The keyring for recipients that can only plan.
  var planKeyring: PlanKeyring { PlanKeyring(store: store, epoch: epoch, keys: planning, verifying: verifying) }

  private func requireFull() throws(StoreError) -> Full {
    guard let full else { throw Self.planOnly }
    return full
  }

  static let planOnly = StoreError(
    .planOnly, "This identity can plan, and cannot read or change values.",
    hint: "Use the identity of a recipient with full access.")

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

  /// The fingerprint of a value in the domain of one key's record. A line break at the end of several lines is not counted.
  func fingerprint(_ value: SecretBox, in record: RowID) -> Fingerprint {
    var fields = LengthPrefixed()
    fields.append(record.bytes)
    fields.append("secret")
    var code = fingerprints
    value.withBytes { value in
      let value = value.compared
      fields.appendLength(value.count)
      code.update(data: fields.bytes)
      code.update(data: value)
    }
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
  /// - Throws: `planOnly`.
  func valueKey(_ info: [UInt8]) throws(StoreError) -> (SymmetricKey, commitment: [UInt8]) {
    Self.valueKey(info, under: try requireFull().secrets)
  }

  static func valueKey(_ info: [UInt8], under secrets: HMAC<SHA256>) -> (SymmetricKey, commitment: [UInt8]) {
    var first = secrets
    first.update(data: info + [1])
    let key = first.finalize()
    var second = secrets
    key.withUnsafeBytes { second.update(data: $0) }
    second.update(data: info + [2])
    return (SymmetricKey(data: key), Self.bytes(of: second))
  }

  /// The MAC over the rows of a bucket.
  func authenticate(rows bytes: [UInt8]) -> [UInt8] { Self.code(rows, bytes) }

  /// Authenticates a header: a MAC of 32 bytes, and an Ed25519 signature of 64 bytes after it, which the MAC covers.
  /// - Throws: `planOnly`.
  func root(over header: [UInt8]) throws(StoreError) -> [UInt8] {
    let full = try requireFull()
    guard let signature = try? full.signing.signature(for: header) else { throw Sealer.unusable }
    return Self.code(full.mac, header + signature) + signature
  }

  /// Verifies the MAC, which only recipients with full access can compute; without full access, the signature.
  func isAuthentic(_ root: [UInt8], over header: [UInt8]) -> Bool {
    guard root.count == 96 else { return false }
    let signature = root[32...]
    if let full { return isEqual(Self.code(full.mac, header + signature), root[..<32]) }
    return verify(Array(signature), of: header)
  }

  /// A code for plan ids and digests of manifests, which is the same for all recipients.
  func planCode(_ bytes: [UInt8]) -> [UInt8] { Self.code(plans, bytes) }

  /// The signature of a saved plan. That of a recipient that can only plan is not accepted by an apply.
  func sign(plan bytes: [UInt8]) -> [UInt8] {
    (try? full?.signing.signature(for: bytes)).map { Array($0) } ?? planCode(bytes)
  }

  /// The signer of a saved plan; nil if the signature is invalid.
  func signer(ofPlan bytes: [UInt8], _ signature: [UInt8]) -> PlanSigner? {
    if verify(signature, of: bytes) { return .full }
    return isEqual(planCode(bytes), signature) ? .planOnly : nil
  }

  private func verify(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    guard signature.count == 64,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: verifying)
    else { return false }
    return key.isValidSignature(signature, for: bytes)
  }

  private static func code(_ keyed: HMAC<SHA256>, _ bytes: [UInt8]) -> [UInt8] {
    var code = keyed
    code.update(data: bytes)
    return Self.bytes(of: code)
  }

  /// Faster than iterating over the code, whose length the iterator does not report, so that the array would grow five
  /// times.
  private static func bytes(of code: HMAC<SHA256>) -> [UInt8] { code.finalize().withUnsafeBytes { Array($0) } }

  private static func fingerprint(_ code: HMAC<SHA256>) -> Fingerprint {
    guard
      let fingerprint = code.finalize().withUnsafeBytes({ Fingerprint(UnsafeRawBufferPointer(rebasing: $0.prefix(16))) }
      )
    else {
      preconditionFailure("SHA-256 returns 32 bytes")
    }
    return fingerprint
  }
}
