package import KeyplanSecrets

/// What stands in a header or in a field of a form.
package enum HTTPValue: Redacted, Sendable {
  /// Anybody may see it.
  case open(String)
  /// A secret, after a word that is none, such as `Bearer `.
  case secret(SecretBox, after: String = "")

  /// How many bytes there are.
  var count: Int {
    switch self {
    case .open(let text): text.utf8.count
    case .secret(let secret, let prefix): prefix.utf8.count + secret.count
    }
  }

  /// Calls with each byte in turn.
  func forEach(_ body: (UInt8) -> Void) {
    switch self {
    case .open(let text): text.utf8.forEach(body)
    case .secret(let secret, let prefix):
      prefix.utf8.forEach(body)
      secret.withBytes { $0.forEach(body) }
    }
  }
}
