import Crypto
import FoundationEssentials
import KeyplanSecrets

// In a file of its own, because Crypto has a type `SecretBox` too.

/// The encryption of a pizauth dump, with a key from pizauth's source code (`src/server/state.rs`). According to
/// pizauth it only protects from `grep`: it is part of the file format, and not a secret.
enum PizauthSeal {
  private static let key: [UInt8] = [
    0x66, 0xA2, 0x47, 0xA8, 0x5E, 0x48, 0xCF, 0xEC, 0xAA, 0xED, 0x9B, 0x36, 0xEB, 0xA9, 0x7D, 0x53, 0x50, 0xD4, 0x28,
    0x63, 0x75, 0x09, 0x7A, 0x44, 0xEE, 0xFF, 0xB9, 0xC4, 0x54, 0x6B, 0x65, 0xA3,
  ]

  /// Decrypts ChaCha20-Poly1305 with a 12-byte nonce before and a 16-byte tag after the ciphertext. Nil for anything
  /// else.
  static func open(_ bytes: UnsafeRawBufferPointer) -> Secret? {
    guard bytes.count >= 28, let box = try? ChaChaPoly.SealedBox(combined: Array(bytes)),
      var plain = try? ChaChaPoly.open(box, using: SymmetricKey(data: key))
    else { return nil }
    return Secret(count: plain.count) { memory in
      plain.withUnsafeMutableBytes { bytes in
        memory.copyMemory(from: UnsafeRawBufferPointer(bytes))
        zero(bytes)
      }
    }
  }
}
