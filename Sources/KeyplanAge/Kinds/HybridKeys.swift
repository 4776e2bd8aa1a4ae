import Crypto
import FoundationEssentials
import KeyplanSecrets

/// The post-quantum native recipient, `age1pq1…`: ML-KEM-768 together with X25519, so that both must be broken.
package struct HybridRecipient: Hashable, Sendable {
  /// 1,216 bytes.
  let publicKey: [UInt8]

  static let prefix = "age1pq"

  init(publicKey: [UInt8]) { self.publicKey = publicKey }

  init(parsing text: String) throws(KeyFault) {
    publicKey = try Bech32.read(text.utf8, prefix: Self.prefix).withBytes { [UInt8]($0) }
    guard publicKey.count == 1216 else { throw .length }
    // Any bytes make a key in swift-crypto; only sealing notices that they are not one.
    guard HybridSealing.seal([0][...], to: publicKey) != nil else { throw .hybrid }
  }
}

/// `AGE-SECRET-KEY-PQ-1…`.
struct HybridIdentity: Sendable, Redacted {
  /// 32 bytes, from which the keys are derived.
  let seed: SecretBox
  let recipient: HybridRecipient

  static let prefix = "age-secret-key-pq-"

  /// Nil unless the seed has 32 bytes.
  init?(seed: SecretBox) {
    guard seed.count == 32, let key = HybridSealing.publicKey(of: seed) else { return nil }
    self.seed = seed
    recipient = HybridRecipient(publicKey: key)
  }

  static func generate() throws(AgeError) -> HybridIdentity {
    let seed = SymmetricKey(size: .bits256).withUnsafeBytes { SecretBox(Secret(copying: $0)) }
    guard let identity = HybridIdentity(seed: seed) else { throw .cryptography }
    return identity
  }
}

/// HPKE (RFC 9180) in base mode with X-Wing, as age uses it.
enum HybridSealing {
  static let encapsulatedSize = 1120
  private static let info = Data("age-encryption.org/mlkem768x25519".utf8)

  static func publicKey(of seed: SecretBox) -> [UInt8]? {
    guard #available(macOS 26, *) else { return nil }
    return privateKey(seed).map { [UInt8]($0.publicKey.rawRepresentation) }
  }

  static func seal(
    _ plaintext: some DataProtocol, to key: [UInt8]
  ) -> (encapsulated: [UInt8], sealed: [UInt8])? {
    guard #available(macOS 26, *), let key = try? XWingMLKEM768X25519.PublicKey(rawRepresentation: key),
      var sender = try? HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info),
      let sealed = try? sender.seal(plaintext)
    else { return nil }
    return (Array(sender.encapsulatedKey), Array(sealed))
  }

  /// Nil if it was sealed to another key.
  static func open(_ sealed: [UInt8], encapsulated: [UInt8], with seed: SecretBox) -> SecretBox? {
    guard #available(macOS 26, *), let key = privateKey(seed),
      var recipient = try? HPKE.Recipient(
        privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: Data(encapsulated)),
      var opened = try? recipient.open(sealed)
    else { return nil }
    defer { opened.withUnsafeMutableBytes { zero($0) } }
    return opened.withUnsafeBytes { SecretBox(Secret(copying: $0)) }
  }

  @available(macOS 26, *)
  private static func privateKey(_ seed: SecretBox) -> XWingMLKEM768X25519.PrivateKey? {
    seed.withBytes { try? XWingMLKEM768X25519.PrivateKey(seedRepresentation: $0, publicKey: nil) }
  }

  @available(macOS 26, *)
  private static var suite: HPKE.Ciphersuite {
    HPKE.Ciphersuite(kem: .XWingMLKEM768X25519, kdf: .HKDF_SHA256, aead: .chaChaPoly)
  }
}
