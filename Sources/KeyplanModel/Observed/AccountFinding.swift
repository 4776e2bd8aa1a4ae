/// A calendar as the service has it. Its name was given elsewhere and may hold anything.
package struct AccountCalendar: Hashable, Sendable, Codable {
  /// The service's own name for it, which stays when it is renamed.
  package let id: String
  /// What the person calls it.
  package let name: String
  /// Whether the service puts events here when nobody says where.
  package let isPrimary: Bool

  /// - Parameter id: unique among the account's calendars, and the same after the calendar is renamed.
  package init(id: String, name: String, isPrimary: Bool = false) {
    self.id = id
    self.name = name
    self.isPrimary = isPrimary
  }
}

/// What is found out about an account now. That the service could not be asked is never taken for its no.
package enum AccountFinding: Hashable, Sendable {
  /// The service answered: these are the account's calendars.
  case answered([AccountCalendar])
  /// The service answered for somebody else, whom it calls this.
  case otherAccount(String)
  /// Not asked: the access token has expired, or there is none.
  case expired
  /// The service does not accept the access token, or the password.
  case refused
  /// The service wants the person, whatever the token.
  case personNeeded
  /// What was agreed to does not cover reading calendars.
  case scopeMissing
  /// The service does not let this client or this account in, whatever the token. Reason and hint are sentences.
  case notAllowed(reason: String, hint: String?)
  /// The service could not be asked, or did not speak its language. The reason is a sentence.
  case unreachable(reason: String)
  /// Not asked: a secret that the service wants was not to be had. The reason is a sentence.
  case noSecret(reason: String, isUnreachable: Bool)
  /// Not asked: not all of its surface is allowed yet.
  case heldBack
  /// Not asked: the identity in use can only plan, and opens no token. The reason is a sentence.
  case planOnly(reason: String)
}
