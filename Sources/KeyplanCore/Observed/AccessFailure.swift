/// Why a place could not be asked, could not be used, or could not be written. Not one of these means that a secret is missing.
public struct AccessFailure: Error, Hashable, Sendable {
  /// What to act on.
  public enum Kind: String, Sendable, Codable, CaseIterable {
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
    public var isOutage: Bool {
      switch self {
      case .throttled, .sealed, .unreachable: true
      case .denied, .unauthenticated, .unreadable: false
      }
    }
  }

  /// What to act on.
  public let kind: Kind
  /// A sentence without a value.
  public let reason: String
  /// When to ask again, where the place says so.
  public let retryAfter: Interval?
  private let ownHint: String?

  /// - Parameter hint: what helps here; nil for what helps with all of its kind.
  public init(_ kind: Kind, _ reason: String, hint: String? = nil, retryAfter: Interval? = nil) {
    self.kind = kind
    self.reason = reason
    self.retryAfter = retryAfter
    ownHint = hint
  }

  /// What to do; nil where that cannot be said.
  public var hint: String? {
    if let ownHint { return ownHint }
    switch kind {
    case .denied: return "Grant the user or the credential that keyplan runs with access to it."
    case .unauthenticated: return "Sign in, or renew the credential."
    case .throttled: return retryAfter.map { "Run this again in \($0.spoken)." } ?? "Run this again later."
    case .sealed: return "Unlock it, then run this again."
    case .unreachable, .unreadable: return nil
    }
  }

  /// The same with words before its reason.
  public func at(_ place: some CustomStringConvertible) -> AccessFailure {
    AccessFailure(kind, "\(place): \(reason)", hint: ownHint, retryAfter: retryAfter)
  }
}
