/// A service's no to the tokens of an account.
package struct AccountEnd: Hashable, Sendable {
  package let reason: Reason
  /// The service's own code, such as `invalid_grant`; for `otherAccount`, the name of that account. Empty if it gave none.
  package let code: String
  /// The time of the service's answer.
  package let at: Moment

  /// The meaning of the answer. Each of these requires a person.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// The token is no longer valid: revoked, too old, or used twice.
    case ended
    /// The organization wants a new sign-in after some time.
    case sessionEnded
    /// The service wants the person: another factor, another device, a password.
    case personNeeded
    /// Access has not been agreed to, or not any more.
    case consentNeeded
    /// The token is not valid any more, and the answer to an earlier refresh was lost: it had the next one.
    case rotationLost
    /// The service answers for another account than the declared one.
    case otherAccount
  }

  /// The service's own code; empty if it gave none.
  package var said: String { reason == .otherAccount ? "" : code }

  package init(_ reason: Reason, code: String = "", at: Moment) {
    self.reason = reason
    self.code = code
    self.at = at
  }
}
