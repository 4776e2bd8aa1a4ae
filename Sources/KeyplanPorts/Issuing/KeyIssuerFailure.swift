package import KeyplanModel

/// Why a provider did not do what was asked of a key.
package struct KeyIssuerFailure: Error, Hashable, Sendable {
  /// What happened.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The provider was not reached: nothing happened.
    case unreachable
    /// The provider did not do it: a quota, a policy, or a fault in the request.
    case refused
    case denied
    case unauthenticated
    case throttled
    /// It may have happened: the list decides.
    case unknown
    /// The list cannot be read completely.
    case unreadable
    /// The provider has no request for it.
    case unsupported
  }

  /// What to act on.
  package let kind: Kind
  /// A sentence without a value and without the provider's text.
  package let reason: String
  /// What helps, in the edge's words.
  package private(set) var hint: String?
  /// When to ask again, if the provider says so.
  package private(set) var retryAfter: Interval?
  /// Of a key that was made, and whose values were not received.
  package private(set) var id: String?

  package init(
    _ kind: Kind, _ reason: String, id: String? = nil, hint: String? = nil, retryAfter: Interval? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.id = id
    self.hint = hint
    self.retryAfter = retryAfter
  }
}
