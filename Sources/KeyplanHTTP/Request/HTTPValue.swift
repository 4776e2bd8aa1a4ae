package import KeyplanSecrets

/// The value of a header or a form field.
package enum HTTPValue: Redacted, Sendable {
  /// A value that is not secret.
  case open(String)
  /// A secret after a prefix that is not secret, such as `Bearer `.
  case secret(SecretBox, after: String = "")

  /// The number of bytes.
  var count: Int {
    switch self {
    case .open(let text): text.utf8.count
    case .secret(let secret, let prefix): prefix.utf8.count + secret.count
    }
  }

  package func forEach(_ body: (UInt8) -> Void) {
    switch self {
    case .open(let text): text.utf8.forEach(body)
    case .secret(let secret, let prefix):
      prefix.utf8.forEach(body)
      secret.withBytes { $0.forEach(body) }
    }
  }
}

extension SecretBase64 {
  package static func text(of value: HTTPValue) -> SecretBox { text(of: value.count, value.forEach) }
}
