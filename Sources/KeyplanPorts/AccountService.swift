package import KeyplanModel
package import KeyplanSecrets

/// Asks calendar services in an account's name. One for all services; it keeps nothing and changes no record.
package protocol AccountService: Sendable {
  /// Asks for the account's calendars with the access token, or the password, that it is given. Never refreshes.
  func ask(_ ask: AccountAsk) async -> AccountFinding

  /// Gets the next access token: with the refresh token, or where nobody signs in with the key file or the client's secret.
  /// Whoever calls it holds the account's lock, has written down that it begins, and stores the answer before it is used.
  func refresh(_ ask: AccountAsk) async -> RefreshAnswer

  /// Revokes the tokens.
  func revoke(_ ask: AccountAsk) async -> RevocationAnswer

  /// The refresh token for an account in what another program has left. Nobody is asked.
  func token(in left: SecretBox, for id: Identifier<Account>, _ account: Account) -> TokenLeft
}

/// What another program has left of a sign-in.
package enum TokenLeft: Sendable {
  /// This token; `isAlone` where nobody else's is with it.
  case token(SecretBox, isAlone: Bool)
  /// Nothing that the account could use. The reason is a sentence.
  case unusable(reason: String)
}

/// An account with all that a service may be given of it.
package struct AccountAsk: Sendable {
  /// Its name in the manifest.
  package let id: Identifier<Account>
  /// As declared, or as recorded where nothing declares it any more.
  package let account: Account
  /// What is recorded of it.
  package let record: AccountRecord?
  /// Its tokens; nil where there are none.
  package let tokens: AccountTokens?
  /// The client's secret.
  package let clientSecret: SecretBox?
  /// The account's password.
  package let password: SecretBox?
  /// The contents of a service account's key file.
  package let keyFile: SecretBox?

  package init(
    id: Identifier<Account>, account: Account, record: AccountRecord? = nil, tokens: AccountTokens? = nil,
    clientSecret: SecretBox? = nil, password: SecretBox? = nil, keyFile: SecretBox? = nil
  ) {
    self.id = id
    self.account = account
    self.record = record
    self.tokens = tokens
    self.clientSecret = clientSecret
    self.password = password
    self.keyFile = keyFile
  }
}

/// What became of asking for the next access token.
package enum RefreshAnswer: Sendable {
  /// Tokens.
  case granted(AccountGrant)
  /// The service's no to these tokens; the code is its own, empty where it gave none.
  case ended(AccountEnd.Reason, code: String)
  /// The service refused the client or the account, not the tokens. The code is the service's own.
  case refused(AccountRefusal.Reason, code: String)
  /// Nothing was asked, because what the manifest or a source has cannot be used. Reason and hint are sentences.
  case notAllowed(reason: String, hint: String?)
  /// Nothing is known. `isUnanswered`: the request may have arrived, and what it would have brought is lost.
  case unavailable(reason: String, isUnanswered: Bool)
}

/// What became of giving tokens back.
package enum RevocationAnswer: Hashable, Sendable {
  /// They are not valid any more.
  case done
  /// The service has no way of it.
  case notOffered
  /// The service does not take them back. The reason is a sentence.
  case refused(reason: String)
  /// Nothing is known. The reason is a sentence.
  case unavailable(reason: String)
}
