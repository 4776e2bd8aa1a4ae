import Crypto
import KeyplanCodecs

/// `-> X25519 SHARE`: the file key, encrypted with the agreement of an ephemeral key and the recipient's.
struct X25519Stanza {
  private let share: [UInt8]
  private let body: [UInt8]

  static let type = Array("X25519".utf8)

  /// Nil unless there is exactly one more argument, canonical base64 of 32 bytes, and the body has the length of an
  /// encrypted file key: with a longer one an attacker could test many keys at once (a partitioning oracle).
  init?(_ stanza: Stanza) {
    guard stanza.arguments.count == 2, let share = Base64.bytes(in: stanza.arguments[1][...]), share.count == 32,
      stanza.body.count == FileKey.size + ChaCha.tagSize
    else { return nil }
    self.share = share
    body = stanza.body
  }

  init(wrapping fileKey: FileKey, for recipient: X25519Recipient) throws(AgeError) {
    let (share, secret) = try recipient.ephemeralAgreement()
    self.share = share
    body = try fileKey.wrapped(with: Self.wrappingKey(secret, share: share, recipient: recipient))
  }

  var stanza: Stanza { Stanza(arguments: [Self.type, Base64.text(of: share)], body: body) }

  /// Nil if the stanza is for another recipient.
  ///
  /// - Throws: `HeaderFault.lowOrder` for a share that results in the same secret with every identity.
  func fileKey(for privateKey: Curve25519.KeyAgreement.PrivateKey) throws(HeaderFault) -> FileKey? {
    guard let secret = privateKey.agreement(with: share) else { throw .lowOrder }
    let key = Self.wrappingKey(secret, share: share, recipient: X25519Recipient(privateKey.publicKey))
    return FileKey(unwrapping: body, with: key)
  }

  private static func wrappingKey(_ secret: SharedSecret, share: [UInt8], recipient: X25519Recipient) -> SymmetricKey {
    secret.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: share + recipient.publicKey, sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
      outputByteCount: 32)
  }
}
