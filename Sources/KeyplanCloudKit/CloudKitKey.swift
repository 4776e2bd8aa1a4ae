import Crypto
import KeyplanCodecs
import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
package import KeyplanSecrets

/// A server-to-server key. Each request is signed with it (ECDSA with P-256 and SHA-256).
package struct CloudKitKey: Redacted, Sendable {
  package let id: String
  private let key: P256.Signing.PrivateKey

  /// - Parameter pem: the private key in the form of SEC 1 or PKCS #8; nil for anything else. Other blocks, such as the
  ///   parameters that `openssl ecparam` writes, are skipped.
  package init?(id: String, pem: SecretBox) {
    guard let der = pem.withBytes({ Self.der(in: $0) }),
      let key = der.withBytes({ try? P256.Signing.PrivateKey(derRepresentation: $0) })
    else { return nil }
    self.id = id
    self.key = key
  }

  /// The headers that authenticate a request.
  /// - Parameters:
  ///   - path: the path of the address, from `/database/1/` on.
  ///   - now: seconds since 1970. The service accepts the request for ten minutes.
  package func headers(for body: SecretBox, path: String, now: Int64) -> [(name: String, value: String)] {
    let date = Moment(seconds: now).description
    return [
      ("X-Apple-CloudKit-Request-KeyID", id), ("X-Apple-CloudKit-Request-ISO8601Date", date),
      ("X-Apple-CloudKit-Request-SignatureV1", signature(of: Self.message(for: body, path: path, date: date))),
    ]
  }

  /// The text to sign: the date, the digest of the body and the path, separated by colons.
  package static func message(for body: SecretBox, path: String, date: String) -> String {
    var hash = SHA256()
    body.withBytes { hash.update(bufferPointer: $0) }
    return "\(date):\(base64(hash.finalize())):\(path)"
  }

  /// Empty only if the library fails, which cannot happen with a valid key.
  private func signature(of message: String) -> String {
    guard let signature = try? key.signature(for: SHA256.hash(data: Array(message.utf8))) else { return "" }
    return Self.base64(signature.derRepresentation)
  }

  private static func base64(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Base64.paddedText(of: Array(bytes)), as: UTF8.self)
  }

  private static func der(in pem: UnsafeRawBufferPointer) -> SecretBox? {
    for label in ["EC PRIVATE KEY", "PRIVATE KEY"] {
      guard let start = pem.firstRange(of: Array("-----BEGIN \(label)-----".utf8))?.upperBound,
        let end = pem[start...].firstRange(of: Array("-----END \(label)-----".utf8))?.lowerBound
      else { continue }
      let lines = pem[start..<end]
      let count = lines.count { $0 > 0x20 }
      let text = SecretBox(
        Secret(count: count) { memory in
          for (index, byte) in lines.lazy.filter({ $0 > 0x20 }).enumerated() { memory[index] = byte }
        })
      return text.withBytes { SecretBase64.bytes(in: $0) }
    }
    return nil
  }
}
