import Crypto
import CryptoExtras
import FoundationEssentials

// In a file of its own, because Crypto has a type `SecretBox` too.

/// The SHA-256 hash as text (RFC 7636, section 4.2).
func challenge(of verifier: UnsafeRawBufferPointer) -> String { Base64URL.text(of: SHA256.hash(data: verifier)) }

/// RSA signatures with SHA-256 (RFC 7518, section 3.3).
package struct RS256 {
  private let key: _RSA.Signing.PrivateKey

  /// A key in PEM form; `nil` unless it is an RSA key of 2048 bits or more.
  package init?(pem: UnsafeRawBufferPointer) {
    guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: String(decoding: pem, as: UTF8.self)) else {
      return nil
    }
    self.key = key
  }

  /// The signature as text. Nil only if the library fails, which cannot happen with a valid key.
  package func signature(of text: String) -> String? {
    let digest = SHA256.hash(data: Array(text.utf8))
    return (try? key.signature(for: digest, padding: .insecurePKCS1v1_5))
      .map { Base64URL.text(of: $0.rawRepresentation) }
  }
}
