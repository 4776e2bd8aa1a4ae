import Crypto
import FoundationEssentials
import KeyplanSecrets

/// Encrypts single values as SOPS does: `ENC[AES256_GCM,data:…,iv:…,tag:…,type:…]`, with base64 and a nonce of 32 bytes
/// (getsops/sops, `aes/cipher.go`).
struct SOPSCipher: Redacted {
  private let key: SymmetricKey

  /// Nil if the key does not have 32 bytes.
  init?(_ dataKey: borrowing Secret) {
    guard dataKey.count == 32 else { return nil }
    key = dataKey.withBytes { SymmetricKey(data: $0) }
  }

  /// A digest that identifies the key.
  var keyId: String {
    let code = HMAC<SHA256>.authenticationCode(for: Array("keyplan/sops/data-key".utf8), using: key)
    return "data key "
      + code.prefix(16).map { byte in
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
      }.joined()
  }

  /// An encrypted value.
  struct Text {
    fileprivate let data: Data
    fileprivate let nonce: Data
    fileprivate let tag: Data
    /// `str`, `int`, `float`, `bool`, `bytes`, `time` or `comment`.
    let type: String

    /// Nil for a text of another form.
    init?(_ text: [UInt8]) {
      guard text.starts(with: Self.begin.utf8), text.last == UInt8(ascii: "]") else { return nil }
      let inner = String(decoding: text.dropFirst(Self.begin.utf8.count).dropLast(), as: UTF8.self)
      let parts = inner.split(separator: ",", omittingEmptySubsequences: false)
      func part(_ index: Int, _ name: String) -> Substring? {
        guard parts.count == 4, parts[index].hasPrefix(name) else { return nil }
        return parts[index].dropFirst(name.count)
      }
      guard let data = part(0, "data:").flatMap({ Data(base64Encoded: String($0)) }),
        let nonce = part(1, "iv:").flatMap({ Data(base64Encoded: String($0)) }),
        let tag = part(2, "tag:").flatMap({ Data(base64Encoded: String($0)) }), let type = part(3, "type:")
      else { return nil }
      (self.data, self.nonce, self.tag, self.type) = (data, nonce, tag, String(type))
    }

    fileprivate static let begin = "ENC[AES256_GCM,"
  }

  /// Nil if the value was changed, or belongs to another place.
  /// - Parameter place: the names on the way to the value, each followed by a colon.
  func open(_ text: Text, at place: String) -> SecretBox? {
    guard let nonce = try? AES.GCM.Nonce(data: text.nonce),
      let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: text.data, tag: text.tag),
      var bytes = try? AES.GCM.open(box, using: key, authenticating: Array(place.utf8))
    else { return nil }
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    return bytes.withUnsafeBytes { SecretBox(Secret(copying: $0)) }
  }

  /// Nil if the cryptographic library fails.
  func seal(_ value: UnsafeRawBufferPointer, at place: String) -> [UInt8]? {
    var random = SystemRandomNumberGenerator()
    let nonce = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    guard let given = try? AES.GCM.Nonce(data: nonce),
      let box = try? AES.GCM.seal(value, using: key, nonce: given, authenticating: Array(place.utf8))
    else { return nil }
    let parts = [
      "data:" + box.ciphertext.base64EncodedString(), "iv:" + Data(nonce).base64EncodedString(),
      "tag:" + box.tag.base64EncodedString(), "type:str",
    ]
    return Array((Text.begin + parts.joined(separator: ",") + "]").utf8)
  }
}
