package import KeyplanModel

/// A declared account and its record: the permitted actions are decided here, for all callers.
package struct PlannedAccount {
  package let id: Identifier<Account>
  package let account: Account
  /// Its record, if that is for this very account; otherwise nil, because its tokens are then useless.
  package let record: AccountRecord?
  /// The record under its name, even if it is for another account.
  let recorded: AccountRecord?

  package init(_ id: Identifier<Account>, _ account: Account, in recorded: Recorded) {
    self.init(id, account, recorded.accounts[id])
  }

  /// - Parameter recorded: the record under its name, even if it is for another account.
  package init(_ id: Identifier<Account>, _ account: Account, _ recorded: AccountRecord?) {
    self.id = id
    self.account = account
    self.recorded = recorded
    record = recorded?.facts == account.facts ? recorded : nil
  }

  var address: Address { .calendar(id) }
  /// The permissions that are required before the service is contacted.
  var surfaces: [Address] { account.surface.sorted().map(Address.surface) }

  /// Whether the recorded calendar is the declared one, as far as can be determined without querying the service.
  var hasItsCalendar: Bool {
    guard let calendar = record?.calendar else { return false }
    return account.calendar.map { $0 == calendar.id || $0 == calendar.name } ?? calendar.isPrimary
  }

  /// The declared calendar among those that the service has.
  func pick(among calendars: [AccountCalendar]) -> CalendarPick {
    CalendarPick(account.calendar, among: calendars, before: record?.calendar)
  }

  /// Whether there are tokens that may still be valid: they are not replaced by adopted ones.
  var isSignedIn: Bool { record?.signIn.map { $0.ended == nil } ?? false }

  /// The reason that the account requires a sign-in before it can be used; nil if it can be used, as far as is known.
  ///
  /// All commands use this rule: sign-in, status, refresh, token, events, plan, drift and apply.
  /// - Parameter finding: the service's current answer; nil if it was not queried.
  package func need(_ finding: AccountFinding?, at now: Moment) -> AccountNeed? {
    guard let reason = reason(finding, at: now) else { return nil }
    let signIn = record?.signIn
    var found: String?
    if case .otherAccount(let name) = finding {
      found = name
    } else if reason == .otherAccount {
      found = signIn?.ended?.code
    }
    return AccountNeed(
      facts: account.facts, reason: reason, missing: reason == .scopesMissing ? signIn?.missing ?? [] : [],
      found: reason == .otherAccount ? found : nil)
  }

  private func reason(_ finding: AccountFinding?, at now: Moment) -> AccountNeed.Reason? {
    guard account.signIn.needsPerson else { return isRetired(at: now) ? .tooOld : nil }
    guard let signIn = record?.signIn else { return recorded?.signIn == nil ? .never : .changed }
    if let end = signIn.ended { return AccountNeed.Reason(end, account.facts, signIn) }
    if case .otherAccount = finding { return .otherAccount }
    if !signIn.isRefreshable, !signIn.isLive(at: now) || finding == .refused { return .notRefreshable }
    if finding == .personNeeded { return .personNeeded }
    if finding == .scopeMissing || !signIn.missing.isEmpty { return .scopesMissing }
    return isRetired(at: now) ? .tooOld : nil
  }

  /// The service's refusal of the last refresh; nil if a person must sign in anyway.
  /// - Parameter finding: the service's current answer; nil if it was not queried.
  package func refusal(_ finding: AccountFinding?, at now: Moment) -> AccountRefusal? {
    need(finding, at: now) == nil ? record?.refusal : nil
  }

  /// Whether the sign-in has expired under a policy that retires it: its tokens are not used from then on.
  private func isRetired(at now: Moment) -> Bool {
    guard account.expiry?.then == .retire, case .over = policyState(at: now) else { return false }
    return true
  }

  /// The state of the sign-in under the account's own policy.
  func policyState(at now: Moment) -> Expiry.State? {
    record?.signIn.flatMap { account.expiry?.state(from: $0.signedInAt, at: now) }
  }

  /// The expected end of the sign-in, once that is near enough to be reported.
  func forecast(at now: Moment) -> AccountForecast? {
    guard let signIn = record?.signIn, let forecast = AccountForecast(account, signIn) else { return nil }
    return now >= forecast.warnsFrom ? forecast : nil
  }

  func selection(_ calendar: AccountCalendar?) -> Effect {
    let selection = AccountSelection(
      facts: account.facts, calendar: calendar, wanted: account.calendar, was: record?.calendar)
    return .outside(.select(id, selection))
  }
}
