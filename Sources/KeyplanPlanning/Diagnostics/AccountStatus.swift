package import KeyplanModel

/// The state of a calendar account, the same for all services.
package struct AccountStatus: Hashable, Sendable {
  /// The account.
  package let id: Identifier<Account>
  /// The account's declaration.
  package let account: Account
  /// The recorded sign-in, if it is for this very account.
  package let signIn: SignInRecord?
  /// The state.
  package let state: State
  /// The expected end of the sign-in, if known.
  package let forecast: AccountForecast?

  /// The states. An account is granted only after its service has answered.
  package enum State: Hashable, Sendable {
    /// The service has answered, and this calendar is used.
    case granted(AccountCalendar, until: Moment?)
    /// The same, without a refresh token: the sign-in expires with the access token.
    case endsWithToken(AccountCalendar, until: Moment?)
    /// There is no valid access token. Whether a refresh succeeds is unknown until it is tried.
    case expired
    /// The service rejects an access token that has not expired. Whether a refresh succeeds is unknown until it is tried.
    case tokenRefused
    /// A person must sign in.
    case needsSignIn(AccountNeed)
    /// The user granted only a part of the requested scopes.
    case partlyGranted(missing: [String])
    /// The service rejects the password.
    case passwordRefused
    /// The service has answered, and no calendar can be used.
    case noCalendar(CalendarPick)
    /// The service was unreachable; the recorded state is kept. The reason is a sentence.
    case unreachable(reason: String)
    /// The service rejects this client or account. Reason and hint are sentences.
    case notAllowed(reason: String, hint: String?)
    /// The service refused the last refresh for a reason that a new sign-in does not fix. `until`: the end of a valid access token.
    case refreshRefused(AccountRefusal, until: Moment?)
    /// A secret that the service requires is missing. The reason is a sentence.
    case noSecret(reason: String, isUnreachable: Bool)
    /// The service was not contacted: the manifest has no permission for that yet.
    case heldBack
  }

  /// The state of each declared account that was observed.
  package static func all(
    of manifest: Manifest, in observed: Observation, only: Identifier<Account>? = nil, at now: Moment
  ) -> [AccountStatus] {
    manifest.accounts.keys.filter { only == nil || $0 == only }.sorted().compactMap { id in
      manifest.accounts[id].map { AccountStatus(id, $0, in: observed, at: now) }
    }
  }

  init(_ id: Identifier<Account>, _ account: Account, in observed: Observation, at now: Moment) {
    let planned = PlannedAccount(id, account, in: observed.recorded)
    self.id = id
    self.account = account
    signIn = planned.record?.signIn
    state = Self.state(planned, observed.accounts[id], at: now)
    forecast = signIn.flatMap { AccountForecast(account, $0) }
  }

  private static func state(_ planned: PlannedAccount, _ finding: AccountFinding?, at now: Moment) -> State {
    let kind = planned.account.signIn
    if let need = planned.need(finding, at: now) {
      return need.reason == .scopesMissing ? .partlyGranted(missing: need.missing) : .needsSignIn(need)
    }
    if let refusal = planned.record?.refusal {
      let isGood = if case .answered = finding { true } else { false }
      return .refreshRefused(refusal, until: isGood ? planned.record?.signIn?.accessEnd : nil)
    }
    switch finding {
    case .answered(let calendars):
      switch planned.pick(among: calendars) {
      case .chosen(let calendar), .renamed(let calendar):
        let signIn = planned.record?.signIn
        return kind.needsPerson && signIn?.isRefreshable == false
          ? .endsWithToken(calendar, until: signIn?.accessEnd) : .granted(calendar, until: signIn?.accessEnd)
      case let pick: return .noCalendar(pick)
      }
    case .expired, nil: return .expired
    case .refused: return kind.hasTokens ? .tokenRefused : .passwordRefused
    case .personNeeded: return .needsSignIn(AccountNeed(facts: planned.account.facts, reason: .personNeeded))
    case .otherAccount(let name):
      return .needsSignIn(AccountNeed(facts: planned.account.facts, reason: .otherAccount, found: name))
    case .scopeMissing: return .partlyGranted(missing: [])
    case .notAllowed(let reason, let hint): return .notAllowed(reason: reason, hint: hint)
    case .unreachable(let reason): return .unreachable(reason: reason)
    case .noSecret(let reason, let isUnreachable): return .noSecret(reason: reason, isUnreachable: isUnreachable)
    case .heldBack: return .heldBack
    case .planOnly(let reason): return .noSecret(reason: reason, isUnreachable: false)
    }
  }
}
