/// A secret, and which version of it.
struct SecretId: Hashable, Sendable {
  enum Version: Hashable, Sendable {
    case current
    /// The version with a staging label.
    case stage(String)
    case id(String)
  }

  /// The name or ARN.
  let secret: String
  let version: Version

  /// The current version.
  init(_ secret: String) {
    self.secret = secret
    version = .current
  }

  /// The secret of a reference: `NAME`, or `NAME:VERSION` with a version's ID (a UUID) or staging label. Nil if it is
  /// neither.
  init?(reference text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME has seven parts, a name one.
    let own = text.hasPrefix("arn:") ? 7 : 1
    guard (own...own + 1).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      own == 1 || (parts[2] == "secretsmanager" && parts[5] == "secret")
    else { return nil }
    secret = parts[..<own].joined(separator: ":")
    guard parts.count > own, let version = parts.last.map(String.init) else {
      self.version = .current
      return
    }
    self.version = Self.isUUID(version) ? .id(version) : .stage(version)
  }

  /// The region of an ARN; nil for a name.
  var region: String? {
    guard secret.hasPrefix("arn:") else { return nil }
    return secret.split(separator: ":").dropFirst(3).first.map(String.init)
  }

  /// Whether an answer is about this secret. An ARN without the six characters that end it is accepted in requests.
  func isNamed(_ name: String, arn: String) -> Bool {
    secret == name || secret == arn || (arn.hasPrefix(secret + "-") && arn.utf8.count == secret.utf8.count + 7)
  }

  private static func isUUID(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
  }
}
