/// Why a place could not be asked, could not be used, or could not be written. Not one of these means that a secret is missing.
package struct AccessFailure: Error, Hashable, Sendable {
  /// What to act on.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// It is known who asks, and they lack a right.
    case denied
    /// It is not known who asks: no credential, or one that was rejected or has expired.
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

  /// What to act on.
  package let kind: Kind
  /// A sentence without a value.
  package let reason: String
  /// When to ask again, where the place says so.
  package let retryAfter: Interval?
  /// What helps here, in the edge's words; nil where that is what helps with all of its kind.
  package let hint: String?
  /// Whether the reason says where in a file a parser stopped, or why. That tells something about what is in the file: the column is
  /// the length of what is before it.
  package var isAboutContent = false

  /// - Parameter hint: what helps here; nil for what helps with all of its kind.
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
