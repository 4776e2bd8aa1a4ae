/// What the provider of a key said about its value.
package struct KeyCheck: Hashable, Sendable, Codable {
  /// What it said.
  package let outcome: CheckOutcome
  /// When it was asked.
  package let at: Moment
  /// When the value expires, where the provider says so.
  package let expires: Moment?

  package init(_ outcome: CheckOutcome, at: Moment, expires: Moment? = nil) {
    self.outcome = outcome
    self.at = at
    self.expires = expires
  }
}

/// What a provider's answer means for a key.
package enum CheckOutcome: String, Sendable, Codable, CaseIterable {
  /// It works.
  case valid
  /// It works, but not for the request that was sent, or not from this machine.
  case restricted
  /// The provider knows it, and its account has no credit.
  case noCredit
  /// The provider had too many requests, and says nothing about the key.
  case throttled
  /// It is refused, as new ones are for some time.
  case pending
  /// It worked until it expired.
  case expired
  /// The provider knows it, and it or its account is disabled.
  case blocked
  /// The provider does not know it.
  case invalid
  /// No answer, or one that says nothing about the key.
  case unknown

  /// Whether requests with the key fail until it is replaced.
  package var isUnusable: Bool { self == .invalid || self == .expired || self == .blocked }
  /// Whether it says anything about the key. If not, what was known stays.
  package var isVerdict: Bool { self != .unknown && self != .throttled }
}

/// What an answer reveals about a key beside the outcome.
package struct CheckFacts: Hashable, Sendable {
  /// When it expires.
  package var expires: Moment?
  /// Whose it is, in the provider's words.
  package var account: String?
  /// What it may do, in the provider's words, in their order.
  package var scopes: [String] = []
  /// What is left of its limit, as the provider writes the number.
  package var remaining: String?

  package init() {}
}
