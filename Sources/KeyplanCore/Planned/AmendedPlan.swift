/// A plan for one amendment, and what it leaves to do.
public struct AmendedPlan: Sendable {
  /// The steps of the amendment alone.
  public let plan: Plan
  /// What a person must know about it.
  public let diagnostics: [Diagnostic]
  /// What an apply would do afterwards; empty where there are no steps, and after a move, whose record has fingerprints
  /// that are unknown before.
  public let next: Plan
}

extension Plan {
  /// Plans a change of the records that a person asks for, and looks at what the next apply would make of it.
  ///
  /// Pure and total, as `reconciling` is. No migration of the keys in question may be pending.
  public static func amending(
    _ manifest: Manifest, by amendment: Amendment, with observed: Observation,
    allowing allowances: Allowances = Allowances(), at now: Moment
  ) -> AmendedPlan {
    var draft = AmendmentDraft(manifest: manifest, observed: observed, allowances: allowances, now: now)
    switch amendment {
    case .move(let old, let new): draft.move(old, to: new)
    case .forget(let address): draft.forget(address)
    case .rollback(let id, let number): draft.rollBack(id, to: number)
    case .revoke(let id, let reason): draft.revoke(id, reason)
    case .purge(let id, let isAll): draft.purge(id, isAll: isAll)
    case .restore(let forgotten, let number): draft.restore(forgotten, to: number)
    case .acceptTarget(let id, let name): draft.accept(name, at: id)
    case .acceptSource(let id): draft.acceptSource(of: id)
    case .signIn(let id): draft.signIn(id)
    case .signOut(let id): draft.signOut(id)
    }
    return AmendedPlan(
      plan: Plan(steps: draft.steps), diagnostics: manifest.marking(draft.diagnostics).sorted(), next: draft.next)
  }
}

/// The plan for an amendment in the making.
struct AmendmentDraft {
  let manifest: Manifest
  let observed: Observation
  let allowances: Allowances
  let now: Moment
  var steps: [Step] = []
  var diagnostics: [Diagnostic] = []
  var next = Plan(steps: [])

  var recorded: Recorded { observed.recorded }

  mutating func add(
    _ effect: Effect, on ground: Precondition = Precondition(), after: [Address] = []
  ) {
    steps.append(Step(effect, because: .byHand, on: ground, after: after))
  }

  mutating func report(_ issue: Diagnostic.Issue, at place: FileLocation? = nil) {
    diagnostics.append(Diagnostic(issue, at: place))
  }

  /// Plans what comes after, once the records are these: warnings about the key are reported now, and so is what its
  /// rules would refuse then.
  mutating func look(ahead after: Recorded, at id: Identifier<Key>? = nil) {
    var then = observed
    then.recorded = after
    let (plan, reported) = Plan.reconciling(manifest, with: then, allowing: allowances, at: now)
    next = plan
    guard let id else { return }
    let own = reported.filter { $0.address == .key(id) }
    diagnostics += own.filter { $0.code.severity == .warning }
    let broken = own.filter { $0.code == .ruleBroken }
    if !broken.isEmpty {
      // What was broken before is no reason to refuse.
      let before = Plan.reconciling(manifest, with: observed, allowing: allowances, at: now).diagnostics
      diagnostics += broken.filter { !before.contains($0) }
    }
    for case .store(.key(id, let effect)) in plan.steps.lazy.map(\.effect) {
      if effect == .forget { report(.key(id, .undeclared)) }
      if effect == .retire { report(.key(id, .retiredNext)) }
    }
  }

  /// The value that would undo a choice of this one: what the source gives now, or else what was recorded, which it may
  /// give elsewhere. Nil where the source gives the chosen one.
  func rival(of chosen: Fingerprint, for id: Identifier<Key>) -> Fingerprint? {
    if case .value(let found, _, _) = observed.sources[id] { return found == chosen ? nil : found }
    let current = recorded.keys[id]?.version.fingerprint
    return current == chosen ? nil : current
  }
}

extension AmendmentDraft {
  /// No surface is waited for: who signs in has been shown where that leads.
  mutating func signIn(_ id: Identifier<Account>) {
    guard let account = manifest.accounts[id] else { return }
    let planned = PlannedAccount(id, account, in: recorded)
    let need = planned.need(observed.accounts[id], at: now) ?? AccountNeed(facts: account.facts, reason: .ended)
    add(.person(.signIn(id, need)))
    add(planned.selection(nil), after: [planned.address])
  }

  mutating func signOut(_ id: Identifier<Account>) {
    guard let record = recorded.accounts[id] else { return }
    add(.outside(.signOut(id, manifest.signOut(record, of: id, at: now))))
    guard let account = manifest.accounts[id] else { return }
    report(.account(id, .stillDeclared), at: account.place)
  }

  mutating func move(_ old: Identifier<Key>, to new: Identifier<Key>) {
    guard let record = recorded.keys[old] else { return }
    guard recorded.keys[new] == nil else { return report(.key(new, .isRecorded)) }
    add(.key(new, .move(from: old)), on: Precondition(revision: record.revision))
    switch (manifest.keys[old] != nil, manifest.keys[new] != nil) {
    case (false, true): break
    case (false, false): report(.key(new, .undeclared))
    case (true, false):
      report(.key(new, .declaredAs(old, hasSource: manifest.keys[old]?.sources.isEmpty == false)))
    case (true, true): report(.key(old, .losesRecord))
    }
  }

  mutating func rollBack(_ id: Identifier<Key>, to number: Int64) {
    guard let record = recorded.keys[id], let version = record.history.first(where: { $0.number == number })
    else { return }
    let rollback = KeyRollback(
      to: number, was: record.version.number,
      rejected: rival(of: version.fingerprint, for: id) ?? record.version.fingerprint)
    guard let rolledBack = record.rolledBack(rollback, revision: record.revision) else { return }
    add(.key(id, .rollback(rollback)), on: Precondition(revision: record.revision))
    var after = recorded
    after.keys[id] = rolledBack
    look(ahead: after, at: id)
  }

  mutating func restore(_ forgotten: ForgottenKey, to number: Int64?) {
    let id = forgotten.key
    var after = recorded
    after.forgotten.removeAll { $0 == forgotten }
    var record = forgotten.record
    let isEarlier = number != nil && number != record.version.number
    let chosen = isEarlier ? record.history.first { $0.number == number } : record.version
    guard let chosen else { return }
    let rival = rival(of: chosen.fingerprint, for: id)
    record.rejected = rival ?? record.rejected
    let restoration = KeyRestoration(serial: forgotten.serial, rejected: isEarlier ? nil : rival)
    add(.key(id, .restore(restoration)))
    if isEarlier, let number {
      let rollback = KeyRollback(
        to: number, was: record.version.number, rejected: rival ?? record.version.fingerprint)
      guard let rolledBack = record.rolledBack(rollback, revision: record.revision) else { return }
      add(.key(id, .rollback(rollback)), after: [.key(id)])
      record = rolledBack
    }
    after.keys[id] = record
    look(ahead: after, at: id)
  }
}
