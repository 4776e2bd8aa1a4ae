/// A calendar at the service. Its name was set elsewhere and may contain anything.
package struct AccountCalendar: Hashable, Sendable, Codable {
  /// The service's own name for it, which stays when it is renamed.
  package let id: String
  /// The name that the person gave it.
  package let name: String
  /// Whether the service adds events here by default.
  package let isPrimary: Bool

  /// - Parameter id: unique among the account's calendars, and the same after the calendar is renamed.
  package init(id: String, name: String, isPrimary: Bool = false) {
    self.id = id
    self.name = name
    self.isPrimary = isPrimary
  }
}

/// The current state of an account. An unreachable service is never treated as a rejection.
package enum AccountFinding: Hashable, Sendable {
  /// The service answered: these are the account's calendars.
  case answered([AccountCalendar])
  /// The service answered for another account, which has this name.
  case otherAccount(String)
  /// Not queried: the access token has expired, or there is none.
  case expired
  /// The service does not accept the access token, or the password.
  case refused
  /// The service requires the person, whatever the token.
  case personNeeded
  /// The granted scopes do not cover reading calendars.
  case scopeMissing
  /// The service rejects this client or this account, whatever the token. Reason and hint are sentences.
  case notAllowed(reason: String, hint: String?)
  /// The service was unreachable, or its answer was invalid. The reason is a sentence.
  case unreachable(reason: String)
  /// Not queried: a secret that the service requires is not available. The reason is a sentence.
  case noSecret(reason: String, isUnreachable: Bool)
  /// Not queried: not all of its external accesses are permitted yet.
  case heldBack
  /// Not queried: the identity in use can only plan, and cannot decrypt tokens. The reason is a sentence.
  case planOnly(reason: String)
}
