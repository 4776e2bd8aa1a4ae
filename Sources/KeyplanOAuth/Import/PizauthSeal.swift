import Crypto
import FoundationEssentials
import KeyplanSecrets

// Alone in its file: Crypto has a `SecretBox` of its own.

/// How pizauth seals a dump: under a key that stands in its source (`src/server/state.rs`). By pizauth's own words the seal
/// keeps `grep` away and nobody else: it is the form of the file, and no secret of anyone's.
enum PizauthSeal {
  private static let key: [UInt8] = [
    0x66, 0xA2, 0x47, 0xA8, 0x5E, 0x48, 0xCF, 0xEC, 0xAA, 0xED, 0x9B, 0x36, 0xEB, 0xA9, 0x7D, 0x53, 0x50, 0xD4, 0x28,
    0x63, 0x75, 0x09, 0x7A, 0x44, 0xEE, 0xFF, 0xB9, 0xC4, 0x54, 0x6B, 0x65, 0xA3,
  ]

  /// What is sealed: ChaCha20-Poly1305, twelve bytes of nonce before it and sixteen of tag behind it. Nil for anything else.
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
