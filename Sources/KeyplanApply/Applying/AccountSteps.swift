internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// Steps at calendar services, and what is recorded of them.
extension Run {
  /// A declared account with its record, where that is about the very same account.
  private func account(
    _ id: Identifier<Account>, _ facts: AccountFacts
  ) -> (account: Account, record: AccountRecord?)? {
    guard let account = applier.manifest.accounts[id], account.facts == facts else { return nil }
    return (account, accounts[id].flatMap { $0.facts == facts ? $0 : nil })
  }

  private func put(_ record: AccountRecord, _ id: Identifier<Account>, _ tokens: AccountTokens?) -> RecordChange {
    var record = record
    record.revision = revision
    accounts[id] = record
    return .account(id, record, tokens: tokens)
  }

  /// Whether somebody else has refreshed it since it was planned.
  private func isFresh(_ signIn: SignInRecord, _ refresh: AccountRefresh) -> Bool {
    signIn.epoch > refresh.epoch && !signIn.isDue(at: applier.clock())
  }

  /// The intent to refresh, which is durable before the request: a lost answer is then known to be one.
  func beginRefresh(_ step: OutsideStep) -> RecordChange? {
    guard case .refresh(let id, let refresh) = step.effect, applier.refreshed[id] == nil,
      var record = account(id, refresh.facts)?.record, let signIn = record.signIn, !isFresh(signIn, refresh)
    else { return nil }
    record.signIn = signIn.beginningRefresh(at: applier.clock())
    return put(record, id, nil)
  }

  /// Takes that back where no request was made.
  func withdrawRefresh(_ step: Step) -> RecordChange? {
    guard case .outside(.refresh(let id, _)) = step.effect, var record = accounts[id],
      record.signIn?.refreshBegan != nil
    else { return nil }
    record.signIn?.refreshBegan = nil
    return put(record, id, nil)
  }

  func refresh(_ step: Step, _ id: Identifier<Account>, _ refresh: AccountRefresh) async {
    if let result = applier.refreshed[id] { return close(step, result) }
    guard let (account, record) = account(id, refresh.facts) else {
      return close(step, .stale(.redeclared(step.address)))
    }
    if let signIn = record?.signIn, isFresh(signIn, refresh) { return close(step, .done) }
    // A plan that was saved may have been overtaken, by its account's policy or by the service's no.
    if record != nil, let need = PlannedAccount(id, account, record).need(nil, at: applier.clock()),
      need.reason != .scopesMissing
    {
      return close(step, StepResult(refusing: account, need, code: record?.signIn?.ended?.said ?? ""))
    }
    let ask: AccountAsk
    switch await self.ask(id, account, record) {
    case .failure(let refusal): return close(step, refusal.result)
    case .success(let made): ask = made
    }
    guard let service = applier.observer.service else { return close(step, Self.unasked) }
    let answer = await service.refresh(ask)
    let answered = AnsweredRefresh(answer, to: ask, over: accounts[id], at: applier.clock())
    granted[id] = answered.tokens
    let changes = answered.record.map { [put($0, id, answered.tokens)] } ?? []
    close(step, answered.kept.result(for: account) ?? Self.unasked, changes)
  }

  /// The record of an account for which the first tokens came.
  private func begin(
    _ account: Account, _ id: Identifier<Account>, _ grant: AccountGrant, keeping refresh: SecretBox?, _ now: Moment
  ) -> RecordChange {
    let tokens = AccountTokens(access: grant.access, refresh: grant.refresh ?? refresh)
    return put(AccountRecord(account, signedIn: grant, tokens, over: accounts[id], at: now), id, tokens)
  }

  /// Records completed sign-ins, and reports keys that must be created manually. `keys set` stores their values in a plan of its own.
  func recordSignIns(_ steps: [PersonStep]) {
    var changes: [RecordChange] = []
    var done: [Step] = []
    for typed in steps {
      guard case .signIn(let id, let need) = typed.effect else {
        if case .issue(let id, let manual) = typed.effect { end(typed.step, .needsKey(manual, of: id)) }
        continue
      }
      applier.begin(typed.step)
      switch signIn(need, id, applier.clock()) {
      case .success(let made):
        changes += made
        done.append(typed.step)
      case .failure(let refusal): end(typed.step, refusal.result)
      }
    }
    record(done, changes)
  }

  private func signIn(
    _ need: AccountNeed, _ id: Identifier<Account>, _ now: Moment
  ) -> Result<[RecordChange], Refusal> {
    guard let (account, record) = account(id, need.facts) else {
      return .failure(Refusal(result: .stale(.redeclared(.calendar(id)))))
    }
    guard let grant = applier.grants[id] else {
      return .failure(Refusal(result: .needsPerson(need)))
    }
    var kept: SecretBox?
    // Google issues no second refresh token for a repeated consent; the stored one stays valid.
    if grant.refresh == nil, let signIn = record?.signIn, signIn.ended == nil {
      do throws(StoreError) { kept = try applier.store.tokens(of: id)?.refresh } catch {
        return .failure(Refusal(result: .failed(error)))
      }
    }
    return .success([begin(account, id, grant, keeping: kept, now)])
  }

  /// Takes over a token that a source has, unless somebody has signed in since.
  func adopt(
    _ token: SecretBox, from: String, _ facts: AccountFacts, _ id: Identifier<Account>, _ step: Step, _ now: Moment
  ) -> Result<[RecordChange], Refusal> {
    let migration = takeovers[id].flatMap { $0.original?.description == from ? $0 : nil }
    guard let (account, record) = account(id, facts), migration != nil || account.token?.description == from else {
      return .failure(Refusal(result: .stale(.redeclared(.calendar(id)))))
    }
    if let signIn = record?.signIn, signIn.ended == nil {
      return .failure(Refusal(result: .stale(.signedIn(id))))
    }
    if let planned = step.ground.source, applier.observer.fingerprints.fingerprint(token, of: id) != planned {
      return .failure(Refusal(result: .stale(.changed(.token(id)))))
    }
    var signIn = SignInRecord(
      signedInAt: now, access: .absent, isRefreshable: true, isTesting: account.isTesting,
      epoch: (accounts[id]?.signIn?.epoch ?? 0) + 1, adopted: applier.store.fingerprint(token, of: id))
    if let before = record?.signIn, before.adopted == signIn.adopted { signIn.exposures = before.exposures }
    let adopted = AccountRecord(revision: 0, facts: facts, calendar: record?.calendar, signIn: signIn)
    let taken = put(adopted, id, AccountTokens(access: nil, refresh: token))
    // A migration with a removal ends only when that is done.
    guard let migration, !migration.removesOriginal else { return .success([taken]) }
    return .success([taken, .migrated(migration.mark)])
  }

  func select(_ step: Step, _ id: Identifier<Account>, _ selection: AccountSelection) async {
    guard let (account, record) = account(id, selection.facts) else {
      return close(step, .stale(.redeclared(step.address)))
    }
    if account.signIn.hasTokens, record?.signIn?.isLive(at: applier.clock()) != true {
      return close(step, .stale(.tokenExpired(step.address)))
    }
    let ask: AccountAsk
    switch await self.ask(id, account, record) {
    case .failure(let refusal): return close(step, refusal.result)
    case .success(let made): ask = made
    }
    guard let service = applier.observer.service else { return close(step, Self.unasked) }
    let finding = await service.ask(ask)
    guard case .answered(let calendars) = finding else {
      return close(step, StepResult(asking: account, finding), ended(by: finding, id, account))
    }
    let pick = CalendarPick(account.calendar, among: calendars, before: record?.calendar)
    guard case .chosen(let calendar) = pick else {
      return close(step, .failed(.calendar(pick, wanted: account.calendar, of: id)))
    }
    if let planned = selection.calendar, planned != calendar {
      return close(step, .stale(.changed(.calendars(step.address))))
    }
    var next =
      accounts[id].flatMap { $0.facts == account.facts ? $0 : nil } ?? AccountRecord(revision: 0, facts: account.facts)
    next.calendar = calendar
    close(step, .done, [put(next, id, nil)])
  }

  /// What is recorded of tokens that turn out to be another person's: whoever wants one finds that they are of no use.
  private func ended(
    by finding: AccountFinding, _ id: Identifier<Account>, _ account: Account
  ) -> [RecordChange] {
    guard case .otherAccount(let name) = finding, var record = accounts[id], record.facts == account.facts,
      record.signIn != nil
    else { return [] }
    record.signIn?.ended = AccountEnd(.otherAccount, code: name, at: applier.clock())
    return [put(record, id, nil)]
  }

  func signOut(_ step: Step, _ id: Identifier<Account>, _ signOut: AccountSignOut) async {
    guard let record = accounts[id], record.facts == signOut.facts else {
      return close(step, .stale(.signedInOtherwise(step.address)))
    }
    var note: StepNote?
    if signOut.revokes {
      // Without a declaration nobody knows the client's secret any more; Google does not ask for it here.
      let account = account(id, record.facts)?.account ?? Account(facts: record.facts, signIn: .browser)
      let ask: AccountAsk
      switch await self.ask(id, account, record) {
      case .failure(let refusal): return close(step, refusal.result)
      case .success(let made): ask = made
      }
      guard let service = applier.observer.service else { return close(step, Self.unasked) }
      switch await service.revoke(ask) {
      case .done: break
      case .notOffered: note = .cannotRevoke
      case .refused(let reason): note = .notRevoked(reason: reason)
      case .unavailable(let reason):
        return close(step, .failed(.revocationUnavailable(reason: reason, of: id)))
      }
    }
    accounts[id] = nil
    close(step, .done, [.account(id, nil, tokens: nil)], note: note)
  }

  private static let unasked = StepResult.failed(.unsupported(.calendarServices))

  private func ask(
    _ id: Identifier<Account>, _ account: Account, _ record: AccountRecord?
  ) async -> Result<AccountAsk, Refusal> {
    var tokens: AccountTokens?
    if record?.signIn != nil {
      do throws(StoreError) { tokens = try applier.store.tokens(of: id) } catch {
        return .failure(Refusal(result: .failed(error)))
      }
    }
    switch await applier.observer.secrets(of: account) {
    case .failure(let missing):
      return .failure(Refusal(result: .failed(.reported(reason: missing.reason, isUnreachable: missing.isUnreachable))))
    case .success(let secrets):
      return .success(AccountAsk(id: id, account: account, record: record, tokens: tokens, secrets: secrets))
    }
  }
}

extension StepResult {
  /// After the service's no to a refresh.
  init(refusing account: Account, _ need: AccountNeed, code: String) {
    self =
      account.signIn.needsPerson || need.reason == .tooOld
      ? .needsPerson(need) : .failed(.noToken(account.facts.service, code: code))
  }

  /// What it means for a step that the service did not return its calendars.
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
