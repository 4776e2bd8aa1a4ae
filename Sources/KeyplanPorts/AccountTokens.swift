package import KeyplanModel
package import KeyplanSecrets

/// The tokens of one account, as the store keeps them.
package struct AccountTokens: Redacted, Sendable {
  /// For asking the service; nil before the first one came.
  package let access: SecretBox?
  /// For getting the next access token.
  package let refresh: SecretBox?

  /// Either may be missing, not both.
  package init(access: SecretBox?, refresh: SecretBox?) {
    self.access = access
    self.refresh = refresh
  }
}

/// What a service granted: at a sign-in, or at a refresh.
package struct AccountGrant: Redacted, Sendable {
  /// For asking the service.
  package let access: SecretBox
  /// For getting the next one; nil where the one that was used stays valid, or where none is given.
  package let refresh: SecretBox?
  /// How long the access token lives; nil where the service did not say.
  package let lifetime: Interval?
  /// How long the refresh token lives; nil where the service did not say.
  package let refreshLifetime: Interval?
  /// After how long the service asks for the next refresh; nil where it does not say.
  package let refreshHint: Interval?
  /// The scopes that were asked for and not granted; nil where the service did not say which it granted.
  package let missing: [String]?

  /// - Parameter missing: the scopes that were asked for and not granted; nil where the service does not say.
  package init(
    access: SecretBox, refresh: SecretBox?, lifetime: Interval?, refreshLifetime: Interval? = nil,
    refreshHint: Interval? = nil, missing: [String]? = nil
  ) {
    self.access = access
    self.refresh = refresh
    self.lifetime = lifetime
    self.refreshLifetime = refreshLifetime
    self.refreshHint = refreshHint
    self.missing = missing
  }
}

extension AccountRecord {
  /// What is recorded once the first tokens came: a person has signed in, or nobody has to.
  /// - Parameter before: what was recorded under the name, perhaps of another account.
  package init(
    _ account: Account, signedIn grant: AccountGrant, _ tokens: AccountTokens, over before: AccountRecord?,
    at now: Moment
  ) {
    var signIn = SignInRecord.signingIn(grant, isTesting: account.isTesting, at: now)
    signIn.isRefreshable = tokens.refresh != nil
    signIn.epoch = (before?.signIn?.epoch ?? 0) + 1
    // A service that gives no second refresh token leaves the one that somebody may know.
    if grant.refresh == nil, tokens.refresh != nil { signIn.exposures = before?.signIn?.exposures ?? [] }
    let calendar = before?.facts == account.facts ? before?.calendar : nil
    self.init(revision: 0, facts: account.facts, calendar: calendar, signIn: signIn)
  }
}

extension SignInRecord {
  /// What is recorded once a person has signed in.
  package static func signingIn(_ grant: AccountGrant, isTesting: Bool, at now: Moment) -> SignInRecord {
    SignInRecord(
      signedInAt: now, access: Self.access(of: grant, at: now), isRefreshable: grant.refresh != nil,
      isTesting: isTesting, missing: grant.missing ?? [], endsAt: grant.refreshLifetime.map { now + $0 },
      refreshAt: grant.refreshHint.map { now + $0 })
  }

  /// What is recorded before a refresh is sent off: that it begins.
  package func beginningRefresh(at now: Moment) -> SignInRecord {
    var record = self
    // One that never ended may have brought tokens that nobody has.
    record.unanswered = unanswered ?? refreshBegan
    record.refreshBegan = now
    return record
  }

  /// What is recorded of an answer, and the tokens to store with it in the same commit, before they are used; nil to keep
  /// those that are stored. The one place that says what becomes of a refresh token: the new one is kept, or else the one
  /// that was there; none is ever overwritten with nothing.
  package func answered(
    _ answer: RefreshAnswer, to tokens: AccountTokens?, at now: Moment
  ) -> (record: SignInRecord, tokens: AccountTokens?) {
    var record = self
    let began = refreshBegan
    record.refreshBegan = nil
    switch answer {
    case .granted(let grant):
      let refresh = grant.refresh ?? tokens?.refresh
      record.refreshedAt = now
      record.access = Self.access(of: grant, at: now)
      record.refreshAt = grant.refreshHint.map { now + $0 }
      record.isRefreshable = refresh != nil
      record.missing = grant.missing ?? missing
      if grant.refresh != nil || grant.refreshLifetime != nil { record.endsAt = grant.refreshLifetime.map { now + $0 } }
      record.epoch += 1
      record.unanswered = nil
      record.ended = nil
      return (record, AccountTokens(access: grant.access, refresh: refresh))
    case .ended(let reason, let code):
      let isLost = reason == .ended && unanswered != nil
      record.ended = AccountEnd(isLost ? .rotationLost : reason, code: code, at: now)
    case .refused, .notAllowed: break
    case .unavailable(_, let isUnanswered):
      if isUnanswered { record.unanswered = unanswered ?? began ?? now }
    }
    return (record, nil)
  }

  private static func access(of grant: AccountGrant, at now: Moment) -> Access {
    grant.lifetime.map { .until(now + $0) } ?? .unlimited
  }
}
