/// A declared account on its way through a plan.
struct PlannedAccount {
  let id: Identifier<Account>
  let account: Account
  /// Its record, where that is about the very same account; nil otherwise: its tokens are then of no use.
  let record: AccountRecord?
  /// Whatever is recorded under its name.
  let recorded: AccountRecord?

  init(_ id: Identifier<Account>, _ account: Account, in recorded: Recorded) {
    self.id = id
    self.account = account
    self.recorded = recorded.accounts[id]
    record = self.recorded?.facts == account.facts ? self.recorded : nil
  }

  var address: Address { .calendar(id) }
  var service: String { account.facts.service.spoken }
  /// What must be allowed before anything of it is asked.
  var surfaces: [Address] { account.surface.sorted().map(Address.surface) }

  /// Whether the recorded calendar is the one that the manifest means, as far as that can be told without asking.
  var hasItsCalendar: Bool {
    guard let calendar = record?.calendar else { return false }
    return account.calendar.map { $0 == calendar.id || $0 == calendar.name } ?? calendar.isPrimary
  }

  /// Which of the calendars that the service has is meant.
  func pick(among calendars: [AccountCalendar]) -> CalendarPick {
    CalendarPick(account.calendar, among: calendars, before: record?.calendar)
  }

  /// Whether there are tokens that may still be good: nothing is taken over in their place.
  var isSignedIn: Bool { record?.signIn.map { $0.ended == nil } ?? false }

  /// Why a person must sign in; nil where nobody must, as far as is known.
  func need(_ finding: AccountFinding?, at now: Moment) -> AccountNeed.Reason? {
    guard let signIn = record?.signIn else { return recorded?.signIn == nil ? .never : .changed }
    if let end = signIn.ended { return AccountNeed.Reason(end, account.facts, signIn) }
    if !signIn.isRefreshable, !signIn.isLive(at: now) || finding == .refused { return .notRefreshable }
    if finding == .personNeeded { return .personNeeded }
    if finding == .scopeMissing || !signIn.missing.isEmpty { return .scopesMissing }
    if account.expiry?.then == .retire, case .over = policyState(at: now) { return .tooOld }
    return nil
  }

  /// How the sign-in stands under the account's own policy.
  func policyState(at now: Moment) -> Expiry.State? {
    record?.signIn.flatMap { account.expiry?.state(from: $0.signedInAt, at: now) }
  }

  /// When the sign-in ends by itself, once that is near enough to be said.
  func forecast(at now: Moment) -> AccountForecast? {
    guard let signIn = record?.signIn, let forecast = AccountForecast(account.facts, signIn) else { return nil }
    return now >= forecast.warnsFrom ? forecast : nil
  }

  func selection(_ calendar: AccountCalendar?) -> Effect {
    .select(
      AccountSelection(facts: account.facts, calendar: calendar, wanted: account.calendar, was: record?.calendar))
  }
}
