import Crypto
import KeyplanSecrets

/// The classical native recipient, `age1…`.
package struct X25519Recipient: Hashable, Sendable {
  /// The Montgomery u-coordinate, 32 bytes.
  let publicKey: [UInt8]

  static let prefix = "age"

  init(_ key: Curve25519.KeyAgreement.PublicKey) { publicKey = [UInt8](key.rawRepresentation) }

  init(parsing text: String) throws(KeyFault) {
    publicKey = try Bech32.read(text.utf8, prefix: Self.prefix).withBytes { [UInt8]($0) }
    guard publicKey.count == 32 else { throw .length }
    guard Curve25519.KeyAgreement.PrivateKey().agreement(with: publicKey) != nil else { throw .lowOrder }
  }

  /// A new ephemeral key's agreement with this recipient.
  func ephemeralAgreement() throws(AgeError) -> (share: [UInt8], secret: Crypto.SharedSecret) {
    let ephemeral = Curve25519.KeyAgreement.PrivateKey()
    guard let secret = ephemeral.agreement(with: publicKey) else { throw .invalidRecipient(.lowOrder) }
    return ([UInt8](ephemeral.publicKey.rawRepresentation), secret)
  }
}

extension Curve25519.KeyAgreement.PrivateKey {
  /// X25519 (RFC 7748, section 6.1), or nil for a low-order share, whose secret is zero for every key.
  ///
  /// Checked here because swift-crypto omits the check, like CryptoKit.
  func agreement(with share: [UInt8]) -> Crypto.SharedSecret? {
    guard let theirs = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: share),
      let secret = try? sharedSecretFromKeyAgreement(with: theirs),
      secret.withUnsafeBytes({ $0.reduce(0) { $0 | $1 } }) != 0
    else { return nil }
    return secret
  }
}
