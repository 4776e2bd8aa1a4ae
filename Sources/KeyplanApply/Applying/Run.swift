internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// The state of one apply. An actor, because outside steps end in any order and each writes down its own result.
actor Run {
  let applier: Applier
  /// What was recorded when the run began, under the names that the plan gives: the ground of every step, because the
  /// lock keeps everybody else out.
  let start: Recorded
  /// The manifest's adoptions, by the key that each is for.
  let adoptions: [Identifier<Key>: Migration]
  /// The manifest's migrations of refresh tokens, by account.
  let takeovers: [Identifier<Account>: Migration]
  /// What may be asked for, and under which terms.
  let limits: ObservationLimits
  /// Which keys are parts of one.
  let wholes: WholeKeys
  /// What this run has made of the records since.
  var keys: [Identifier<Key>: KeyRecord]
  var targets: [Identifier<Target>: TargetRecord]
  var accounts: [Identifier<Account>: AccountRecord]
  var forgotten: [ForgottenKey]
  /// Requests to create a key whose outcome is unknown.
  var mints: [Identifier<Key>: MintAttempt]
  var recipients: [Identifier<Recipient>: Recipient]
  /// The tokens that this run had granted, to compare with what the store gives back.
  var granted: [Identifier<Account>: AccountTokens] = [:]
  /// The values that the steps under way write, read together.
  var values: [Identifier<Key>: SecretBox] = [:]
  /// The targets whose hook is to be run: those that something was written to, and those of earlier runs.
  var dueHooks: Set<Identifier<Target>>
  /// Those with a write that was neither confirmed nor refused: it may still happen, so that their hook stays due.
  var unconfirmed: Set<Identifier<Target>> = []
  private var ended: [Ended] = []
  private var committedAt: Moment?
  private var serial: Int64
  private var results: [Name: StepReport] = [:]
  private var unfinished: Set<Address> = []
  /// The addresses of this run's failed steps.
  var failed: Set<Address> = []
  private var storeError: StoreError?
  private let stepCount: Int
  /// The permissions that this plan grants.
  let allowing: Set<Address>

  /// A step outside that has ended, and whose result is not yet recorded.
  private struct Ended {
    let step: Step
    let result: StepResult
    let note: StepNote?
    let changes: [RecordChange]
  }

  /// Tells the steps of one plan apart.
  struct Name: Hashable {
    let address: Address
    let action: Action
    let isMove: Bool

    init(_ step: Step) {
      address = step.address
      action = step.effect.action
      isMove = if case .outside(.withdraw(_, let removal)) = step.effect { removal.isMove } else { false }
    }
  }

  init(
    _ applier: Applier, _ plan: Plan, _ recorded: Recorded, _ moves: [Identifier<Key>: Identifier<Key>]
  ) {
    self.applier = applier
    start = recorded.moving(moves)
    limits = ObservationLimits(applier.manifest, start, applier.observer.checkout)
    wholes = WholeKeys(applier.manifest, start, andForgotten: true)
    let migrations = applier.manifest.migrations.filter { $0.original != nil }
    adoptions = Dictionary(
      migrations.compactMap { migration in migration.key.map { ($0, migration) } }
    ) { first, _ in first }
    takeovers = Dictionary(
      migrations.compactMap { migration in migration.account.map { ($0, migration) } }
    ) { first, _ in first }
    keys = recorded.keys
    targets = recorded.targets
    accounts = recorded.accounts
    forgotten = recorded.forgotten
    mints = recorded.mints
    recipients = recorded.recipients
    dueHooks = Set(recorded.dueHooks.keys)
    serial = recorded.store?.serial ?? 0
    stepCount = plan.steps.count
    allowing = Set(plan.steps.filter { $0.effect.action == .allow }.map(\.address))
    results.reserveCapacity(plan.steps.count)
  }

  func carryOut(_ group: StepGroup) async {
    switch group {
    case .store(let steps): await carryOutInStore(withoutOtherPart(steps, unobstructed(steps)))
    case .outside(let steps): for batch in StepGroup.batches(steps) { await carryOutOutside(unobstructed(batch)) }
    case .person(let steps): recordSignIns(unobstructed(steps))
    }
  }

  /// Ends the steps that cannot be tried, and returns the others.
  private func unobstructed<Effect>(_ steps: some Sequence<TypedStep<Effect>>) -> [TypedStep<Effect>] {
    steps.filter { typed in
      guard let obstacle = obstacle(before: typed.step) else { return true }
      end(typed.step, obstacle)
      return false
    }
  }

  /// What the records that the next commit writes are stamped with.
  var revision: Int64 { serial + 1 }

  /// Writes changes in one transaction. Nil when that succeeded.
  /// - Parameter steps: how many steps are done with it. With the last one the plan was applied to its end.
  func commit(_ changes: [RecordChange], ending steps: Int = 0) -> StoreError? {
    let now = applier.clock()
    committedAt = now
    var changes = changes
    if let id = applier.planId, steps > 0, unfinished.isEmpty, results.count + steps == stepCount {
      changes.append(.applied(AppliedPlan(id: id, at: now)))
    }
    do {
      serial = try applier.store.commit(changes, expecting: serial, at: now)
      return nil
    } catch {
      // Nothing was written, and the store is as usable as before: only what needs the plugin fails.
      if error.code != .plugin { storeError = error }
      return error
    }
  }

  /// Reads the records anew: under a fresh root key or another name they say the same in other fingerprints.
  func renew() {
    do {
      let recorded = try applier.store.recorded()
      keys = recorded.keys
      targets = recorded.targets
      accounts = recorded.accounts
      forgotten = recorded.forgotten
      mints = recorded.mints
    } catch {
      storeError = error
    }
  }

  func end(_ step: Step, _ result: StepResult, note: StepNote? = nil) {
    results[Name(step)] = StepReport(step, result, note: note)
    if result != .done { unfinished.insert(step.address) }
    applier.tell(StepReport(step, result, note: note))
  }

  /// Ends a step outside whose result is recorded with others', in one transaction: with those of its batch, or of its second.
  /// - Parameter isUrgent: whether it is recorded now, because nothing could find out later what it changed.
  func end(_ step: Step, _ result: StepResult, note: StepNote?, recording changes: [RecordChange], isUrgent: Bool) {
    ended.append(Ended(step: step, result: result, note: note, changes: changes))
    if isUrgent || committedAt != applier.clock() { recordEnded() }
  }

  /// Records the results of the steps outside that have ended since the last time.
  func recordEnded() {
    guard !ended.isEmpty else { return }
    let isDone = ended.allSatisfy { $0.result == .done }
    let error = commit(ended.flatMap(\.changes), ending: isDone ? ended.count : 0)
    for item in ended {
      guard item.result == .done, let error else {
        end(item.step, item.result, note: item.note)
        continue
      }
      end(item.step, .failed(.notRecorded(error)))
    }
    ended = []
  }

  /// Whether a step at this address was not carried out, or only in part.
  func isUnfinished(_ address: Address) -> Bool { unfinished.contains(address) }

  func outcome(of plan: Plan) -> Outcome {
    Outcome(
      reports: plan.steps.map { results[Name($0)] ?? StepReport($0, .notTried(.runEnded)) },
      storeError: storeError)
  }

  /// The values without which an effect does nothing, if only others can open them.
  private func closed(to effect: Effect) -> [ClosedValue]? {
    let values = start.closedValues(for: effect)
    guard !values.isEmpty else { return nil }
    guard case .outside(.sync(_, let write)) = effect else { return values }
    let closed = Set(values.map(\.key))
    return write.entries.contains { $0.reason != .alreadyThere && !closed.contains($0.key) } ? nil : values
  }

  /// Why a step is not even tried.
  func obstacle(before step: Step) -> StepResult? {
    if let storeError { return .notTried(.store(storeError)) }
    if Task.isCancelled { return .notTried(.interrupted) }
    if let address = step.after.first(where: unfinished.contains) { return .notTried(.dependency(address)) }
    if let item = forbidden(to: step) { return .stale(.changed(.terms(item))) }
    if let closed = closed(to: step.effect) { return .failed(.closed(closed, nil)) }
    guard let revision = start.revision(of: step.address) else { return nil }
    return revision == step.ground.revision ? nil : .stale(.changed(.record(step.address)))
  }
}
