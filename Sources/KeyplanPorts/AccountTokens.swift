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

/// The tokens that a service granted: at a sign-in, or at a refresh.
package struct AccountGrant: Redacted, Sendable {
  /// For asking the service.
  package let access: SecretBox
  /// The token for the next refresh; nil if the previous one stays valid, or if there is none.
  package let refresh: SecretBox?
  /// The lifetime of the access token; nil if the service gives none.
  package let lifetime: Interval?
  /// The lifetime of the refresh token; nil if the service gives none.
  package let refreshLifetime: Interval?
  /// The time after which the service requests the next refresh; nil if it gives none.
  package let refreshHint: Interval?
  /// The scopes that were requested and not granted; nil if the service does not list the granted ones.
  package let missing: [String]?

  /// - Parameter missing: the scopes that were requested and not granted; nil if the service does not list the granted ones.
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
  /// The record after the first tokens: a person has signed in, or none is required.
  /// - Parameter before: the previous record of this name, perhaps of another account.
  package init(
    _ account: Account, signedIn grant: AccountGrant, _ tokens: AccountTokens, over before: AccountRecord?,
    at now: Moment
  ) {
    var signIn = SignInRecord.signingIn(grant, isTesting: account.isTesting, at: now)
    signIn.isRefreshable = tokens.refresh != nil
    signIn.epoch = (before?.signIn?.epoch ?? 0) + 1
    // Without a second refresh token from the service, the exposed one stays in use.
    if grant.refresh == nil, tokens.refresh != nil { signIn.exposures = before?.signIn?.exposures ?? [] }
    let calendar = before?.facts == account.facts ? before?.calendar : nil
    self.init(revision: 0, facts: account.facts, calendar: calendar, signIn: signIn)
  }
}

extension SignInRecord {
  /// The record after a person has signed in.
  package static func signingIn(_ grant: AccountGrant, isTesting: Bool, at now: Moment) -> SignInRecord {
    SignInRecord(
      signedInAt: now, access: Self.access(of: grant, at: now), isRefreshable: grant.refresh != nil,
      isTesting: isTesting, missing: grant.missing ?? [], endsAt: grant.refreshLifetime.map { now + $0 },
      refreshAt: grant.refreshHint.map { now + $0 })
  }

  /// The record before a refresh request: the refresh begins.
  package func beginningRefresh(at now: Moment) -> SignInRecord {
    var record = self
    // An unfinished one may have brought tokens that were lost.
    record.unanswered = unanswered ?? refreshBegan
    record.refreshBegan = now
    return record
  }

  /// The record after an answer, and the tokens to store with it in the same commit, before they are used; nil to keep the stored ones. The
  /// only place that decides about a refresh token: the new one is kept, otherwise the previous one; a refresh token is never overwritten
  /// with nothing.
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
