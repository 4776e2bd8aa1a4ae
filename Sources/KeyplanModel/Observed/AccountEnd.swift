/// A service's no to the tokens of an account.
package struct AccountEnd: Hashable, Sendable {
  /// What it means.
  package let reason: Reason
  /// The service's own code, such as `invalid_grant`; for `otherAccount` whose account it is. Empty where it gave none.
  package let code: String
  /// When the service said so.
  package let at: Moment

  /// What it means. Only a person can help with any of these.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// The token is not valid any more: revoked, too old, or used twice.
    case ended
    /// The organization wants a new sign-in after some time.
    case sessionEnded
    /// The service wants the person: another factor, another device, a password.
    case personNeeded
    /// Access has not been agreed to, or not any more.
    case consentNeeded
    /// The token is not valid any more, and the answer to an earlier refresh was lost: it had the next one.
    case rotationLost
    /// The service answers for somebody else than the account that is declared.
    case otherAccount
  }

  /// The service's own code; empty where it gave none.
  package var said: String { reason == .otherAccount ? "" : code }

  package init(_ reason: Reason, code: String = "", at: Moment) {
    self.reason = reason
    self.code = code
    self.at = at
  }
}
