package import KeyplanModel
package import KeyplanSecrets

/// Queries calendar services in an account's name. One for all services; it keeps nothing and changes no record.
package protocol AccountService: Sendable {
  /// Requests the account's calendars with the given access token or password. Never refreshes.
  func ask(_ ask: AccountAsk) async -> AccountFinding

  /// Gets the next access token: with the refresh token, or without a person with the key file or the client's secret. The caller must lock
  /// the account, record the start of the refresh, and store the answer before using it.
  func refresh(_ ask: AccountAsk) async -> RefreshAnswer

  /// Revokes the tokens.
  func revoke(_ ask: AccountAsk) async -> RevocationAnswer

  /// The refresh token for an account in another program's file. No service is queried.
  func token(in left: SecretBox, for id: Identifier<Account>, _ account: Account) -> TokenLeft
}

/// The result of looking for a token in another program's file.
package enum TokenLeft: Sendable {
  /// This token; `isAlone` if the file contains no other sign-in.
  case token(SecretBox, isAlone: Bool)
  /// No usable token. The reason is a sentence.
  case unusable(reason: String)
}

/// An account with all data that a service may get.
package struct AccountAsk: Sendable {
  /// Its name in the manifest.
  package let id: Identifier<Account>
  /// As declared, or as recorded if it is no longer declared.
  package let account: Account
  package let record: AccountRecord?
  /// Its tokens; nil if there are none.
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

/// The result of a request for the next access token.
package enum RefreshAnswer: Sendable {
  /// Tokens.
  case granted(AccountGrant)
  /// The rejection of these tokens by the service; the code is its own, empty if it gave none.
  case ended(AccountEnd.Reason, code: String)
  /// The service refused the client or the account, not the tokens. The code is the service's own.
  case refused(AccountRefusal.Reason, code: String)
  /// Nothing was requested, because the manifest or a source has something unusable. Reason and hint are sentences.
  case notAllowed(reason: String, hint: String?)
  /// The outcome is unknown. `isUnanswered`: the request may have arrived, and its tokens are lost.
  case unavailable(reason: String, isUnanswered: Bool)
}

/// The result of revoking tokens.
package enum RevocationAnswer: Hashable, Sendable {
  /// They are not valid any more.
  case done
  /// The service cannot revoke tokens.
  case notOffered
  /// The service refused to revoke them. The reason is a sentence.
  case refused(reason: String)
  /// The outcome is unknown. The reason is a sentence.
  case unavailable(reason: String)
}
