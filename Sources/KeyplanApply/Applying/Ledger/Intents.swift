internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// The intents that are recorded before a step outside does anything, so that after a crash the next run knows what may have happened.
extension Ledger {
  /// Records in one transaction that steps begin. False if that failed, which ends them.
  func begin(_ steps: [OutsideStep]) -> Bool {
    let intents =
      steps.compactMap(attempt) + steps.compactMap(beginHook) + steps.compactMap(beginRefresh)
      + steps.flatMap(beginEnd)
    guard let error = commit(steps.map { .began($0.effect.subject) } + intents) else { return true }
    for typed in steps { end(typed.step, .failed(error)) }
    return false
  }

  /// Takes that back after a step that changed nothing.
  func withdrawnIntents(of step: Step) -> [RecordChange] {
    switch step.effect {
    // The leftovers of an earlier attempt are still unknown.
    case .outside(.sync(let id, _)): [.attempt(id, context.start.attempts[id])]
    case .outside(.refresh(let id, _)): withdrawRefresh(of: id)
    case .outside(.disable(let id, let end)), .outside(.end(let id, let end)): withdraw(end, of: id)
    case .store, .outside, .person: []
    }
  }

  /// The names that a step may write, in addition to those that an earlier one may have written there.
  private func attempt(_ step: OutsideStep) -> RecordChange? {
    guard case .sync(let id, let write) = step.effect else { return nil }
    let attempt = WriteAttempt(destination: write.destination, names: write.keys)
    return .attempt(id, attempt.following(context.start.attempts[id]))
  }

  /// Records that the hook is due before the first name changes: after a crash, nothing else would show it.
  private func beginHook(_ step: OutsideStep) -> RecordChange? {
    guard let id = step.effect.changedTarget, context.manifest.hooks[id] != nil else { return nil }
    return .hook(id, isDue: true)
  }

  /// A lost answer to a refresh is known to be one.
  private func beginRefresh(_ step: OutsideStep) -> RecordChange? {
    guard case .refresh(let id, let refresh) = step.effect, context.applier.refreshed[id] == nil,
      var record = account(id, refresh.facts)?.record, let signIn = record.signIn,
      !signIn.isFresh(since: refresh, at: context.now)
    else { return nil }
    record.signIn = signIn.beginningRefresh(at: context.now)
    return put(record, id)
  }

  private func withdrawRefresh(of id: Identifier<Account>) -> [RecordChange] {
    guard var record = records.accounts[id], record.signIn?.refreshBegan != nil else { return [] }
    record.signIn?.refreshBegan = nil
    return [put(record, id)]
  }

  /// Whatever becomes of the request, the values of keys that end are not used again, whichever part they are of.
  private func beginEnd(_ step: OutsideStep) -> [RecordChange] {
    let (id, end): (Identifier<Key>, IssuedKeys)
    switch step.effect {
    case .disable(let key, let keys), .end(let key, let keys): (id, end) = (key, keys)
    default: return []
    }
    guard let record = records.keys[id] else { return [] }
    let inUse = versionsInUse(of: id)
    let ending = record.issued.filter { end.keys.contains($0.reference) && !inUse.contains($0.version) }
    return changeParts(of: id) { record in for key in ending { record.end(key, .begun, at: context.now) } }
  }

  private func withdraw(_ end: IssuedKeys, of id: Identifier<Key>) -> [RecordChange] {
    let kept = records.keys[id]?.issued.filter { end.keys.contains($0.reference) } ?? []
    return changeParts(of: id) { record in for key in kept { record.keep(key) } }
  }
}

/// The records of accounts.
extension Ledger {
  /// A declared account with its record, where that is about the very same account.
  func account(_ id: Identifier<Account>, _ facts: AccountFacts) -> (account: Account, record: AccountRecord?)? {
    guard let account = context.manifest.accounts[id], account.facts == facts else { return nil }
    return (account, records.accounts[id].flatMap { $0.facts == facts ? $0 : nil })
  }

  func put(_ record: AccountRecord, _ id: Identifier<Account>, _ tokens: AccountTokens? = nil) -> RecordChange {
    var record = record
    record.revision = revision
    return records.put(record, id, tokens)
  }
}

extension SignInRecord {
  /// Whether another process has refreshed it since the plan.
  func isFresh(since refresh: AccountRefresh, at now: Moment) -> Bool { epoch > refresh.epoch && !isDue(at: now) }
}
