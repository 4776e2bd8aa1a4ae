import Crypto
import KeyplanHTTP
import KeyplanJSON
import KeyplanOAuth
package import KeyplanSecrets

/// A PEM file with a certificate and its unencrypted private key.
package struct ClientCertificateFile: Redacted, Sendable {
  private let key: KeyplanSecrets.SecretBox
  /// In DER form, that of the application first.
  private let certificates: [[UInt8]]

  /// Nil if the file does not have both.
  package init?(_ file: KeyplanSecrets.SecretBox) {
    let labels = ["PRIVATE KEY", "RSA PRIVATE KEY"]
    guard let key = labels.lazy.compactMap({ Self.blocks($0, in: file).first }).first else { return nil }
    let certificates = Self.blocks("CERTIFICATE", in: file).compactMap { block in
      block.withBytes { bytes -> [UInt8]? in
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "-") }
        let text = lines.flatMap { $0.filter { $0 > 0x20 } }
        return SecretBase64.bytes(in: text)?.withBytes { Array($0) }
      }
    }
    guard !certificates.isEmpty else { return nil }
    self.key = key
    self.certificates = certificates
  }

  /// The blocks with a label, with their first and last lines.
  private static func blocks(_ label: String, in file: KeyplanSecrets.SecretBox) -> [KeyplanSecrets.SecretBox] {
    let (start, end) = (Array("-----BEGIN \(label)-----".utf8), Array("-----END \(label)-----".utf8))
    return file.withBytes { bytes in
      var found: [KeyplanSecrets.SecretBox] = []
      var rest = bytes[...]
      while let first = rest.firstRange(of: start), let last = rest[first.upperBound...].firstRange(of: end) {
        let block = UnsafeRawBufferPointer(rebasing: rest[first.lowerBound..<last.upperBound])
        found.append(KeyplanSecrets.SecretBox(Secret(copying: block)))
        rest = rest[last.upperBound...]
      }
      return found
    }
  }

  /// The assertion with which an application signs in at Microsoft's identity platform
  /// (learn.microsoft.com/entra/identity-platform/certificate-credentials).
  package func assertion(
    by application: String, for address: String, withChain: Bool, at now: Int64
  ) throws(RemoteFailure) -> KeyplanSecrets.SecretBox {
    func literal(_ text: String) -> BodyTree { .literal(.string(text)) }
    var assertion = SecretAPI.Assertion(key: Template(variable: "key"))
    var header = [Named("x5t", literal(Base64URL.text(of: Insecure.SHA1.hash(data: certificates[0]))))]
    if withChain {
      let chain = certificates.map { certificate in
        certificate.withUnsafeBytes { SecretBase64.text(of: $0) }.withBytes {
          literal(String(decoding: $0, as: UTF8.self))
        }
      }
      header.append(Named("x5c", .array(chain)))
    }
    assertion.header = .object(header)
    assertion.claims = .object([
      Named("aud", literal(address)), Named("iss", literal(application)), Named("sub", literal(application)),
    ])
    assertion.lifetime = 600
    var bindings = Bindings()
    bindings["key"] = .secret(key)
    return try SignedAssertion.make(assertion, bindings, at: now)
  }
}
