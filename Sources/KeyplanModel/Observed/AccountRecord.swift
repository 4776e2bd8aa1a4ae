/// The record of a calendar account, without its tokens.
package struct AccountRecord: Hashable, Sendable {
  /// The serial of the commit that last wrote this record.
  package var revision: Int64
  /// The account and service of the sign-in, or of the first request. Its tokens are sent nowhere else.
  package var facts: AccountFacts
  /// The calendar that was chosen; nil while none is.
  package var calendar: AccountCalendar?
  /// The facts about its tokens; nil for an account that has none.
  package var signIn: SignInRecord?
  /// The service's refusal of the last refresh, if a new sign-in does not fix its cause; nil after a successful refresh.
  package var refusal: AccountRefusal?

  package init(
    revision: Int64, facts: AccountFacts, calendar: AccountCalendar? = nil, signIn: SignInRecord? = nil,
    refusal: AccountRefusal? = nil
  ) {
    self.revision = revision
    self.facts = facts
    self.calendar = calendar
    self.signIn = signIn
    self.refusal = refusal
  }
}

/// The facts about an account's tokens.
package struct SignInRecord: Hashable, Sendable {
  /// The time at which the person signed in, or a token was adopted.
  package var signedInAt: Moment
  /// The time of the last refresh; nil before the first one.
  package var refreshedAt: Moment?
  /// The access token.
  package var access: Access
  /// Whether there is a refresh token.
  package var isRefreshable: Bool
  /// Whether the client was in Google's publishing status *Testing* then: the tokens keep that end.
  package var isTesting: Bool
  /// The scopes that were requested and not granted.
  package var missing: [String]
  /// The time at which the refresh token expires according to the service; nil if the service sets none.
  package var endsAt: Moment?
  /// Counts the tokens that were stored, from 1.
  package var epoch: Int64
  /// The start of a refresh whose answer is not recorded: the intent.
  package var refreshBegan: Moment?
  /// The time of a refresh request that was never answered. If the service rotates its tokens, that answer had the next one.
  package var unanswered: Moment?
  /// The rejection by the service. The tokens are kept until the next sign-in, or until the account is forgotten.
  package var ended: AccountEnd?
  /// The token that was last adopted from a source.
  package var adopted: Fingerprint?
  /// The time at which the service requests the next refresh, before the access token expires; nil if it sets none.
  package var refreshAt: Moment?
  /// The recipients who could read the tokens and can no longer open the store.
  package var exposures: [Exposure] = []

  /// The access token's time.
  package enum Access: Hashable, Sendable {
    /// There is none.
    case absent
    /// There is one until then.
    case until(Moment)
    /// There is one, and the service set no expiry.
    case unlimited
  }

  package init(
    signedInAt: Moment, refreshedAt: Moment? = nil, access: Access, isRefreshable: Bool, isTesting: Bool = false,
    missing: [String] = [], endsAt: Moment? = nil, epoch: Int64 = 1, refreshBegan: Moment? = nil,
    unanswered: Moment? = nil, ended: AccountEnd? = nil, adopted: Fingerprint? = nil, refreshAt: Moment? = nil
  ) {
    self.signedInAt = signedInAt
    self.refreshedAt = refreshedAt
    self.access = access
    self.isRefreshable = isRefreshable
    self.isTesting = isTesting
    self.missing = missing
    self.endsAt = endsAt
    self.epoch = epoch
    self.refreshBegan = refreshBegan
    self.unanswered = unanswered
    self.ended = ended
    self.adopted = adopted
    self.refreshAt = refreshAt
  }

  /// The time at which the access token expires; nil if there is none, or if the service did not give a time.
  package var accessEnd: Moment? { if case .until(let end) = access { end } else { nil } }

  /// Whether there is an access token that has not expired, and the service has not ended the sign-in.
  ///
  /// A token from the future was obtained while this machine's clock was ahead, so its expiry is late by the same amount.
  package func isLive(at now: Moment) -> Bool {
    guard ended == nil else { return false }
    switch access {
    case .absent: return false
    case .until(let end): return now < end && now + Self.margin >= refreshedAt ?? signedInAt
    case .unlimited: return true
    }
  }

  /// Whether the access token expires so soon that a caller gets the next one first, or the service has requested that.
  package func isDue(at now: Moment) -> Bool {
    !isLive(at: now + Self.margin) || refreshAt.map { now >= $0 } ?? false
  }

  /// As MSAL has it: a token that is good for five minutes may be over before it arrives.
  package static let margin = Interval(seconds: 300)
}
