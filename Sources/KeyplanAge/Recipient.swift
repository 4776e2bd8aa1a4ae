import Crypto
import KeyplanSecrets

/// The public half of an identity, `age1…`, to which files are encrypted. Equal if the keys are, however they were
/// written.
package struct Recipient: Hashable, Sendable, CustomStringConvertible {
  /// The Montgomery u-coordinate, 32 bytes.
  let publicKey: [UInt8]

  init(_ key: Curve25519.KeyAgreement.PublicKey) { publicKey = [UInt8](key.rawRepresentation) }

  /// Parses `age1…`, in lower or upper case.
  ///
  /// - Throws: `AgeError.invalidRecipient`, also for a low-order point: anyone can decrypt what is encrypted to one.
  package init(parsing text: String) throws(AgeError) {
    do throws(KeyFault) {
      publicKey = try Bech32.read(text.utf8, prefix: Self.prefix).withBytes { [UInt8]($0) }
      guard publicKey.count == 32 else { throw .length }
    } catch {
      throw .invalidRecipient(error)
    }
    _ = try ephemeralAgreement()
  }

  /// `age1…` in lower case.
  package var description: String {
    String(decoding: Bech32.text(of: publicKey, prefix: Self.prefix, case: .lower), as: UTF8.self)
  }

  /// A new ephemeral key's agreement with this recipient.
  func ephemeralAgreement() throws(AgeError) -> (share: [UInt8], secret: Crypto.SharedSecret) {
    let ephemeral = Curve25519.KeyAgreement.PrivateKey()
    guard let secret = ephemeral.agreement(with: publicKey) else { throw .invalidRecipient(.lowOrder) }
    return ([UInt8](ephemeral.publicKey.rawRepresentation), secret)
  }

  private static let prefix = "age"
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
