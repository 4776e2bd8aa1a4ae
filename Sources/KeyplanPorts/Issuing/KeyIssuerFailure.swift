package import KeyplanModel

/// The reason that a provider did not carry out a request about a key.
package struct KeyIssuerFailure: Error, Hashable, Sendable {
  /// The kind of failure, which decides the reaction.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The provider was not reached: nothing was changed.
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

  /// The kind of failure, which decides the reaction.
  package let kind: Kind
  /// A sentence without a value and without the provider's text.
  package let reason: String
  /// The hint, in the words of the issuer's module.
  package private(set) var hint: String?
  /// The time to wait before the next request, if the provider sets one.
  package private(set) var retryAfter: Interval?
  /// The id of a key that was made, but whose values were not received.
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
