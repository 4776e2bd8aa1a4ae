/// The answer of a key's provider about its value.
package struct KeyCheck: Hashable, Sendable, Codable {
  package let outcome: CheckOutcome
  /// The time of the check.
  package let at: Moment
  /// The expiry date of the value, if the provider sets one.
  package let expires: Moment?

  package init(_ outcome: CheckOutcome, at: Moment, expires: Moment? = nil) {
    self.outcome = outcome
    self.at = at
    self.expires = expires
  }
}

/// The meaning of a provider's answer for a key.
package enum CheckOutcome: String, Sendable, Codable, CaseIterable {
  /// It works.
  case valid
  /// It works, but not for the request that was sent, or not from this machine.
  case restricted
  /// The provider knows it, and its account has no credit.
  case noCredit
  /// The provider had too many requests, so the state of the key is unknown.
  case throttled
  /// It is refused, as new ones are for some time.
  case pending
  /// It worked until it expired.
  case expired
  /// The provider knows it, and it or its account is disabled.
  case blocked
  /// The provider does not know it.
  case invalid
  /// No answer, or one without information about the key.
  case unknown

  /// Whether requests with the key fail until it is replaced.
  package var isUnusable: Bool { self == .invalid || self == .expired || self == .blocked }
  /// Whether it reveals the state of the key. If not, the known state is kept.
  package var isVerdict: Bool { self != .unknown && self != .throttled }
}

/// Further facts about a key in a provider's answer.
package struct CheckFacts: Hashable, Sendable {
  /// The expiry date.
  package var expires: Moment?
  /// The key's owner, in the provider's words.
  package var account: String?
  /// The key's permissions, in the provider's words and order.
  package var scopes: [String] = []
  /// The rest of its limit, as the provider writes the number.
  package var remaining: String?

  package init() {}
}
