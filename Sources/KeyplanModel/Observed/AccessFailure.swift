/// The reason that a place was unreachable or unusable, or could not be written. None of these means that a secret is missing.
package struct AccessFailure: Error, Hashable, Sendable {
  /// The kind of failure, which decides the reaction.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// The caller is authenticated, and lacks a right.
    case denied
    /// The caller is not authenticated: no credential, or one that was rejected or has expired.
    case unauthenticated
    /// Too many requests.
    case throttled
    /// It is there and locked: a sealed vault, a locked keyring.
    case sealed
    /// It did not answer.
    case unreachable
    /// It answered with something that cannot be used.
    case unreadable

    /// Whether waiting can help, so that it counts as an outage.
    package var isOutage: Bool {
      switch self {
      case .throttled, .sealed, .unreachable: true
      case .denied, .unauthenticated, .unreadable: false
      }
    }
  }

  /// The kind of failure, which decides the reaction.
  package let kind: Kind
  /// A sentence without a value.
  package let reason: String
  /// The time to wait before the next request, if the place sets one.
  package let retryAfter: Interval?
  /// A specific hint; nil for the general hint of its kind.
  package let hint: String?
  /// Whether the reason names the position or the error of a parser. That reveals something about the file's content: the column is the
  /// length of the text before it.
  package var isAboutContent = false

  /// - Parameter hint: a specific hint; nil for the general hint of the kind.
  package init(_ kind: Kind, _ reason: String, hint: String? = nil, retryAfter: Interval? = nil) {
    self.kind = kind
    self.reason = reason
    self.retryAfter = retryAfter
    self.hint = hint
  }

  /// The same with words before its reason.
  package func at(_ place: some CustomStringConvertible) -> AccessFailure {
    var failure = AccessFailure(kind, "\(place): \(reason)", hint: hint, retryAfter: retryAfter)
    failure.isAboutContent = isAboutContent
    return failure
  }
}
