/// A service's refusal to refresh an account's access token because of the client or the account. The tokens may still be valid. A new
/// sign-in does not fix the cause; the next refresh shows whether it persists.
package struct AccountRefusal: Hashable, Sendable {
  /// The cause, as far as the service reports it.
  package let reason: Reason
  /// The service's own codes, such as `invalid_client, AADSTS7000222`; empty if it gave none.
  package let code: String
  /// The time of the first refusal with this reason and code.
  package let since: Moment

  /// Causes that services report.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// The client's id or secret is not accepted.
    case client
    /// The client's secret has expired.
    case secretExpired
    /// The client was disabled or deleted.
    case clientDisabled
    /// The account was disabled.
    case accountDisabled
    /// A conditional access policy of the organization.
    case conditionalAccess
    /// The organization does not allow the client.
    case forbidden
    /// Access was not consented to, and no person signs in with this kind of account.
    case consent
    /// A service account's signature is not accepted.
    case assertion
    /// A scope does not exist, or is not for this client.
    case scope
    /// Anything else.
    case other
  }

  package init(_ reason: Reason, code: String = "", since: Moment) {
    self.reason = reason
    self.code = code
    self.since = since
  }
}

extension AccountRecord {
  /// Records a refusal. One with the same reason and code keeps the time of the first.
  package mutating func refuse(_ reason: AccountRefusal.Reason, code: String, at now: Moment) {
    if let refusal, refusal.reason == reason, refusal.code == code { return }
    refusal = AccountRefusal(reason, code: code, since: now)
  }
}
