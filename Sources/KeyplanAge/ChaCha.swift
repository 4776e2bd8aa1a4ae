import Crypto
import FoundationEssentials
import KeyplanSecrets

/// A ciphertext whose tag does not match.
struct NotAuthentic: Error {}

/// ChaCha20-Poly1305 as age uses it: tag after the ciphertext, no associated data, the nonce chosen by the caller.
enum ChaCha {
  static let tagSize = 16
  static let zeroNonce = [UInt8](repeating: 0, count: 12)

  static func append(
    _ plaintext: UnsafeRawBufferPointer, under key: SymmetricKey, nonce: [UInt8], to sealed: inout [UInt8]
  ) throws(AgeError) {
    do {
      let box = try ChaChaPoly.seal(plaintext, using: key, nonce: ChaChaPoly.Nonce(data: nonce))
      sealed += box.ciphertext
      sealed += box.tag
    } catch {
      throw .cryptography
    }
  }

  /// Decrypts into memory with exactly the length of the plaintext. Writes nothing unless the ciphertext is authentic.
  static func open(
    _ sealed: ArraySlice<UInt8>, under key: SymmetricKey, nonce: [UInt8], into memory: UnsafeMutableRawBufferPointer
  ) throws(NotAuthentic) {
    guard sealed.count == memory.count + tagSize else { throw NotAuthentic() }
    do {
      // In one piece: of slices, the initializer looks for conformances first, which takes longer than decrypting.
      let box = try ChaChaPoly.SealedBox(combined: nonce + sealed)
      var plaintext = try ChaChaPoly.open(box, using: key)
      plaintext.withUnsafeMutableBytes { bytes in
        memory.copyMemory(from: UnsafeRawBufferPointer(bytes))
        zero(bytes)
      }
    } catch {
      throw NotAuthentic()
    }
  }
}
