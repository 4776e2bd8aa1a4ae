package import KeyplanModel

/// A person must sign in. No plan does it, and no apply: the command is `keyplan calendar sign-in`.
package struct AccountNeed: Hashable, Sendable, Codable {
  /// What is signed in with.
  package let facts: AccountFacts
  /// Why.
  package let reason: Reason
  /// The scopes that were asked for and not granted, where that is the reason.
  package let missing: [String]
  /// Whom the service answered for, where that is the reason.
  package let found: String?
  /// The end of an access token that is still valid and cannot be refreshed.
  package let until: Moment?

  /// Why a person is needed.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// Nobody has signed in yet.
    case never
    /// The sign-in was for another account, client or address.
    case changed
    /// The service ended the sign-in, as in `AccountEnd`.
    case ended, sessionEnded, personNeeded, consentNeeded, rotationLost, otherAccount
    /// The same, and the times show the seven days of an app in testing.
    case testingEnded
    /// The sign-in has no refresh token, and the access token has expired, was rejected, or is to be replaced.
    case notRefreshable
    /// Not everything that was asked for was granted.
    case scopesMissing
    /// The sign-in has expired under its policy.
    case tooOld

    /// The same end, as a reason, with what the sign-in's times say about it.
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
  /// Who is asked about whom.
  package let facts: AccountFacts
  /// Why.
  package let reason: Reason
  /// How many tokens were stored when it was planned: if there are more when it is applied, another run was faster.
  package let epoch: Int64

  /// Why the next token is wanted.
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

/// Which of an account's calendars is used from now on.
package struct AccountSelection: Hashable, Sendable, Codable {
  /// Who is asked about whom.
  package let facts: AccountFacts
  /// The calendar; nil where that is known at apply only.
  package let calendar: AccountCalendar?
  /// What the manifest names; nil for the one that the account prefers.
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
  /// Whose tokens they are.
  package let facts: AccountFacts
  /// Whether the service is asked to revoke the tokens first. At Google that ends all that the account granted to the project.
  package let revokes: Bool
  /// The other declared accounts that revoking would sign out, too, and for whose sake it is left undone; nil where there are none.
  package let sparing: [Identifier<Account>]?

  package init(facts: AccountFacts, revokes: Bool, sparing: [Identifier<Account>]? = nil) {
    self.facts = facts
    self.revokes = revokes
    self.sparing = sparing
  }
}
