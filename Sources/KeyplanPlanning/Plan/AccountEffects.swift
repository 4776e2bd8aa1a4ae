package import KeyplanModel

/// A person must sign in. No plan does it, and no apply: the command is `keyplan calendar sign-in`.
package struct AccountNeed: Hashable, Sendable, Codable {
  /// The account to sign in to.
  package let facts: AccountFacts
  package let reason: Reason
  /// The scopes that were requested and not granted, if that is the reason.
  package let missing: [String]
  /// The account that the service answered for, if that is the reason.
  package let found: String?
  /// The end of an access token that is still valid and cannot be refreshed.
  package let until: Moment?

  /// The reason that a person must sign in.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// There is no sign-in yet.
    case never
    /// The sign-in was for another account, client or address.
    case changed
    /// The service ended the sign-in, as in `AccountEnd`.
    case ended, sessionEnded, personNeeded, consentNeeded, rotationLost, otherAccount
    /// The same, and the times show the seven days of an app in testing.
    case testingEnded
    /// The sign-in has no refresh token, and the access token has expired, was rejected, or is to be replaced.
    case notRefreshable
    /// Not all requested scopes were granted.
    case scopesMissing
    /// The sign-in has expired under its policy.
    case tooOld

    /// The same end as a reason, with the probable cause that the sign-in's times suggest.
    package init(_ end: AccountEnd, _ facts: AccountFacts, _ signIn: SignInRecord) {
      self.init(end.reason)
      if self == .ended, case .testing = AccountEndCause(end, facts, signIn) { self = .testingEnded }
    }

    /// The same end, as a reason.
    package init(_ end: AccountEnd.Reason) {
      self =
        switch end {
        case .ended: .ended
        case .sessionEnded: .sessionEnded
        case .personNeeded: .personNeeded
        case .consentNeeded: .consentNeeded
        case .rotationLost: .rotationLost
        case .otherAccount: .otherAccount
        }
    }
  }

  package init(
    facts: AccountFacts, reason: Reason, missing: [String] = [], found: String? = nil, until: Moment? = nil
  ) {
    self.facts = facts
    self.reason = reason
    self.missing = missing
    self.found = found
    self.until = until
  }
}

/// The next access token, without a person.
package struct AccountRefresh: Hashable, Sendable, Codable {
  /// The account and its service.
  package let facts: AccountFacts
  package let reason: Reason
  /// The number of tokens stored at planning: if there are more at apply, another run has refreshed already.
  package let epoch: Int64

  /// The reason for a new token.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// There is none yet.
    case first
    /// The current one has expired.
    case expired
    /// The service rejects the current one.
    case refused
  }

  package init(facts: AccountFacts, reason: Reason, epoch: Int64) {
    self.facts = facts
    self.reason = reason
    self.epoch = epoch
  }
}

/// The choice of the calendar of an account that is used from now on.
package struct AccountSelection: Hashable, Sendable, Codable {
  /// The account and its service.
  package let facts: AccountFacts
  /// The calendar; nil if that is known at apply only.
  package let calendar: AccountCalendar?
  /// The declared calendar; nil for the account's preferred one.
  package let wanted: String?
  /// The one that was used before.
  package let was: AccountCalendar?

  package init(facts: AccountFacts, calendar: AccountCalendar?, wanted: String?, was: AccountCalendar?) {
    self.facts = facts
    self.calendar = calendar
    self.wanted = wanted
    self.was = was
  }
}

/// The end of an account's record, tokens included.
package struct AccountSignOut: Hashable, Sendable, Codable {
  /// The account that the tokens belong to.
  package let facts: AccountFacts
  /// Whether the service is asked to revoke the tokens first. At Google, that revokes everything that the account granted to the project.
  package let revokes: Bool
  /// The other declared accounts that revoking would sign out as well, so that it is not done; nil if there are none.
  package let sparing: [Identifier<Account>]?

  package init(facts: AccountFacts, revokes: Bool, sparing: [Identifier<Account>]? = nil) {
    self.facts = facts
    self.revokes = revokes
    self.sparing = sparing
  }
}
