internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// A step at a calendar service, and what is recorded of it.
struct AccountStep: Sendable {
  let context: RunContext
  let step: Step
  let id: Identifier<Account>

  func refresh(_ refresh: AccountRefresh, _ ledger: isolated Ledger) async throws(Refusal) {
    if let result = context.applier.refreshed[id] { return ledger.close(step, result) }
    let (account, record) = try declared(refresh.facts, ledger)
    if let signIn = record?.signIn, signIn.isFresh(since: refresh, at: context.now) { return ledger.close(step, .done) }
    // A plan that was saved may have been overtaken, by its account's policy or by the service's no.
    if record != nil, let need = PlannedAccount(id, account, record).need(nil, at: context.now),
      need.reason != .scopesMissing
    {
      throw Refusal(StepResult(refusing: account, need, code: record?.signIn?.ended?.said ?? ""))
    }
    let ask = try await ask(account, record, ledger)
    let answer = try await service().refresh(ask)
    let answered = AnsweredRefresh(answer, to: ask, over: ledger.records.accounts[id], at: context.now)
    ledger.records.grant(answered.tokens, to: id)
    let changes = answered.record.map { [ledger.put($0, id, answered.tokens)] } ?? []
    ledger.close(step, answered.kept.result(for: account) ?? .failed(.unsupported(.calendarServices)), changes)
  }

  func select(_ selection: AccountSelection, _ ledger: isolated Ledger) async throws(Refusal) {
    let (account, record) = try declared(selection.facts, ledger)
    if account.signIn.hasTokens, record?.signIn?.isLive(at: context.now) != true {
      throw .stale(.tokenExpired(step.address))
    }
    let ask = try await ask(account, record, ledger)
    let finding = try await service().ask(ask)
    guard case .answered(let calendars) = finding else {
      return ledger.close(step, StepResult(asking: account, finding), ended(by: finding, account, ledger))
    }
    let pick = CalendarPick(account.calendar, among: calendars, before: record?.calendar)
    guard case .chosen(let calendar) = pick else { throw .failed(.calendar(pick, wanted: account.calendar, of: id)) }
    if let planned = selection.calendar, planned != calendar { throw .stale(.changed(.calendars(step.address))) }
    var next = ledger.account(id, account.facts)?.record ?? AccountRecord(revision: 0, facts: account.facts)
    next.calendar = calendar
    ledger.close(step, .done, [ledger.put(next, id)])
  }

  /// Records that tokens turned out to be another person's, so that no command uses them.
  private func ended(by finding: AccountFinding, _ account: Account, _ ledger: isolated Ledger) -> [RecordChange] {
    guard case .otherAccount(let name) = finding, var record = ledger.records.accounts[id],
      record.facts == account.facts, record.signIn != nil
    else { return [] }
    record.signIn?.ended = AccountEnd(.otherAccount, code: name, at: context.now)
    return [ledger.put(record, id)]
  }

  func signOut(_ signOut: AccountSignOut, _ ledger: isolated Ledger) async throws(Refusal) {
    guard let record = ledger.records.accounts[id], record.facts == signOut.facts else {
      throw .stale(.signedInOtherwise(step.address))
    }
    var note: StepNote?
    if signOut.revokes {
      // The client's secret is unknown without a declaration; Google does not require it here.
      let account = ledger.account(id, record.facts)?.account ?? Account(facts: record.facts, signIn: .browser)
      let ask = try await ask(account, record, ledger)
      switch try await service().revoke(ask) {
      case .done: break
      case .notOffered: note = .cannotRevoke
      case .refused(let reason): note = .notRevoked(reason: reason)
      case .unavailable(let reason): throw .failed(.revocationUnavailable(reason: reason, of: id))
      }
    }
    ledger.close(step, .done, [ledger.records.put(nil, id, nil)], note: note)
  }

  private func declared(
    _ facts: AccountFacts, _ ledger: isolated Ledger
  ) throws(Refusal) -> (account: Account, record: AccountRecord?) {
    guard let declared = ledger.account(id, facts) else { throw .stale(.redeclared(.calendar(id))) }
    return declared
  }

  private func service() throws(Refusal) -> any AccountService {
    guard let service = context.observer.service else { throw .failed(.unsupported(.calendarServices)) }
    return service
  }

  private func ask(
    _ account: Account, _ record: AccountRecord?, _ ledger: isolated Ledger
  ) async throws(Refusal) -> AccountAsk {
    let tokens = record?.signIn == nil ? nil : try tokens(ledger)
    switch await context.observer.secrets(of: account) {
    case .failure(let missing): throw .failed(.reported(reason: missing.reason, isUnreachable: missing.isUnreachable))
    case .success(let secrets):
      return AccountAsk(id: id, account: account, record: record, tokens: tokens, secrets: secrets)
    }
  }

  private func tokens(_ ledger: isolated Ledger) throws(Refusal) -> AccountTokens? {
    try ledger.read { store throws(StoreError) in try store.tokens(of: id) }
  }
}

/// The first tokens of accounts: from sign-ins, and from where a migration or the manifest says.
extension AccountStep {
  func signIn(_ need: AccountNeed, _ ledger: isolated Ledger) throws(Refusal) -> RecordChange {
    let now = context.now
    let (account, record) = try declared(need.facts, ledger)
    guard let grant = context.applier.grants[id] else { throw Refusal(.needsPerson(need)) }
    var refresh = grant.refresh
    // Google issues no second refresh token for a repeated consent; the stored one stays valid.
    if refresh == nil, let signIn = record?.signIn, signIn.ended == nil {
      refresh = try tokens(ledger)?.refresh
    }
    let tokens = AccountTokens(access: grant.access, refresh: refresh)
    let signedIn = AccountRecord(account, signedIn: grant, tokens, over: ledger.records.accounts[id], at: now)
    return ledger.put(signedIn, id, tokens)
  }

  /// Imports a token from a source, unless a person has signed in since.
  func adopt(
    _ token: SecretBox, from: String, _ facts: AccountFacts, _ ledger: isolated Ledger
  ) throws(Refusal) -> [RecordChange] {
    let now = context.now
    let migration = context.takeovers[id].flatMap { $0.original?.description == from ? $0 : nil }
    let (account, record) = try declared(facts, ledger)
    guard migration != nil || account.token?.description == from else { throw .stale(.redeclared(.calendar(id))) }
    if let signIn = record?.signIn, signIn.ended == nil { throw .stale(.signedIn(id)) }
    if let planned = step.ground.source, context.observer.fingerprints.fingerprint(token, of: id) != planned {
      throw .stale(.changed(.token(id)))
    }
    var signIn = SignInRecord(
      signedInAt: now, access: .absent, isRefreshable: true, isTesting: account.isTesting,
      epoch: (ledger.records.accounts[id]?.signIn?.epoch ?? 0) + 1,
      adopted: ledger.store.fingerprint(token, of: id))
    if let before = record?.signIn, before.adopted == signIn.adopted { signIn.exposures = before.exposures }
    let adopted = AccountRecord(revision: 0, facts: facts, calendar: record?.calendar, signIn: signIn)
    let taken = ledger.put(adopted, id, AccountTokens(access: nil, refresh: token))
    // A migration with a removal ends only when that is done.
    guard let migration, !migration.removesOriginal else { return [taken] }
    return [taken, .migrated(migration.mark)]
  }
}

extension StepResult {
  /// After the service's no to a refresh.
  init(refusing account: Account, _ need: AccountNeed, code: String) {
    self =
      account.signIn.needsPerson || need.reason == .tooOld
      ? .needsPerson(need) : .failed(.noToken(account.facts.service, code: code))
  }

  /// The result of a step for which the service did not return its calendars.
  fileprivate init(asking account: Account, _ finding: AccountFinding) {
    let facts = account.facts
    self =
      switch finding {
      case .unreachable(let reason): .failed(.reported(reason: reason, isUnreachable: true))
      case .notAllowed(let reason, let hint): .failed(.reported(reason: reason, hint: hint, isUnreachable: false))
      case .noSecret(let reason, let isUnreachable):
        .failed(.reported(reason: reason, isUnreachable: isUnreachable))
      case .personNeeded where account.signIn.needsPerson:
        .needsPerson(AccountNeed(facts: facts, reason: .personNeeded))
      case .scopeMissing where account.signIn.needsPerson:
        .needsPerson(AccountNeed(facts: facts, reason: .scopesMissing))
      case .otherAccount(let name): .needsPerson(AccountNeed(facts: facts, reason: .otherAccount, found: name))
      case .refused, .personNeeded, .scopeMissing: .failed(.credentialsRejected(facts.service))
      case .answered, .expired, .heldBack, .planOnly: .stale(.notAsked)
      }
  }
}
