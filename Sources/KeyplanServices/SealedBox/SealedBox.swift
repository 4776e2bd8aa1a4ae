import Crypto
import KeyplanSecrets

/// libsodium's sealed boxes (`crypto_box_seal`): a message that only the holder of a private key can open, from an
/// anonymous sender. X25519 with an ephemeral key, XSalsa20-Poly1305, and a nonce that BLAKE2b makes of both public keys.
package enum SealedBox {
  /// Seals a message for a public key.
  /// - Returns: the ephemeral public key, the tag and the encrypted message; nil if the key is not a public key.
  package static func seal(_ message: UnsafeRawBufferPointer, for recipient: [UInt8]) -> [UInt8]? {
    seal(message, for: recipient, with: Curve25519.KeyAgreement.PrivateKey())
  }

  /// - Parameter ephemeral: for tests; a key must never be used for two messages.
  static func seal(
    _ message: UnsafeRawBufferPointer, for recipient: [UInt8], with ephemeral: Curve25519.KeyAgreement.PrivateKey
  ) -> [UInt8]? {
    guard recipient.count == 32,
      let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient),
      let agreed = try? ephemeral.sharedSecretFromKeyAgreement(with: publicKey)
    else { return nil }
    var shared = agreed.withUnsafeBytes { Array($0) }
    defer { wipe(&shared) }
    // A key of low order: anyone could open the box.
    guard shared.contains(where: { $0 != 0 }) else { return nil }
    let sender = Array(ephemeral.publicKey.rawRepresentation)
    let nonce = Blake2b.hash(sender + recipient, count: 24)
    var key = Salsa20.hashed(key: shared, nonce: [UInt8](repeating: 0, count: 16))
    defer { wipe(&key) }
    return sender + box(message, key: key, nonce: nonce)
  }

  /// `crypto_secretbox`: the tag and the encrypted message.
  static func box(_ message: UnsafeRawBufferPointer, key: [UInt8], nonce: [UInt8]) -> [UInt8] {
    // The first 32 bytes of the stream are the authenticator's key.
    var stream = Salsa20.stream(32 + message.count, key: key, nonce: nonce)
    defer { wipe(&stream) }
    var encrypted: [UInt8] = []
    encrypted.reserveCapacity(message.count)
    for (index, byte) in message.enumerated() { encrypted.append(byte ^ stream[32 + index]) }
    return Poly1305.tag(of: encrypted, key: Array(stream.prefix(32))) + encrypted
  }

  /// Overwrites bytes that would open the box.
  private static func wipe(_ bytes: inout [UInt8]) { bytes.withUnsafeMutableBytes { zero($0) } }
}
