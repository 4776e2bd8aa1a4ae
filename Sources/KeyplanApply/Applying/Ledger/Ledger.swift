internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// The state of a run: the current records, and the result of each step. Nothing else commits.
///
/// Steps outside end in any order. What carries them out is isolated to the ledger, so that nothing happens between reading a record,
/// changing it and recording the change, except where a place or a service is waited for.
actor Ledger {
  let context: RunContext
  var records: Records
  private(set) var storeError: StoreError?
  /// The addresses whose steps were not carried out, or only in part.
  private(set) var unfinished: Set<Address> = []
  private var results: [StepName: StepReport] = [:]
  /// The addresses of this run's failed steps.
  private var failed: Set<Address> = []
  /// The steps outside that have ended, and whose results are not yet recorded.
  private var ended: [(report: StepReport, changes: [RecordChange])] = []
  private var committedAt: Moment?
  private var serial: Int64
  private let stepCount: Int
  /// The number of steps that are done, by action.
  private var done: [String: Int] = [:]
  /// The store's record of this plan; nil before the first commit.
  private var remembered: AppliedPlan?
  /// A variable, because only those are isolated: nothing uses the store over a commit.
  private(set) var store: any RecordStore & TokenStore & Fingerprinting

  init(
    _ context: RunContext, _ plan: Plan, _ recorded: Recorded, _ store: any RecordStore & TokenStore & Fingerprinting
  ) {
    (self.context, self.store) = (context, store)
    records = Records(recorded)
    serial = recorded.store?.serial ?? 0
    stepCount = plan.steps.count
    results.reserveCapacity(plan.steps.count)
  }

  /// The revision of the records that the next commit writes.
  var revision: Int64 { serial + 1 }

  /// Writes changes in one transaction. Nil when that succeeded. From the first one on the store remembers the plan, as one that was not
  /// completed: after a crash nothing else would say that it began.
  /// - Parameter steps: the steps that are done with it. With the last one the plan was applied to its end.
  func commit(_ changes: [RecordChange], ending steps: [Step] = []) -> StoreError? {
    let now = context.now
    committedAt = now
    var changes = changes
    let plan = progress(ending: steps, at: now)
    if let plan { changes.append(.applied(plan)) }
    do {
      serial = try store.commit(changes, expecting: serial, at: now)
      remembered = plan
      return nil
    } catch {
      // Nothing was written, and the store is as usable as before: only what needs the plugin fails.
      if error.code != .plugin { storeError = error }
      return error
    }
  }

  /// The progress of the plan with these steps; nil for a plan that is not remembered.
  private func progress(ending steps: [Step] = [], at now: Moment) -> AppliedPlan? {
    guard let run = context.applier.run else { return nil }
    let isComplete = run.isWhole && unfinished.isEmpty && results.count + steps.count == stepCount
    var done = done
    for step in steps { done[step.effect.action.rawValue, default: 0] += 1 }
    return AppliedPlan(
      id: run.planId, at: now, isIncomplete: !isComplete, invocation: run.invocation, done: done,
      serial: revision)
  }

  /// Records how the run ended, if no commit has: that steps failed before anything was recorded, or that the last steps had nothing to
  /// record. A run that changed nothing and in which nothing failed is not remembered.
  func finish() {
    guard storeError == nil, let plan = progress(at: context.now) else { return }
    let isNew = remembered.map { ($0.isIncomplete, $0.done) != (plan.isIncomplete, plan.done) }
    let hasFailed = results.values.contains { if case .failed = $0.result { true } else { false } }
    guard isNew ?? hasFailed else { return }
    _ = commit([])
  }

  func read<Value>(_ value: (any RecordStore & TokenStore) throws(StoreError) -> Value) throws(Refusal) -> Value {
    do throws(StoreError) { return try value(store) } catch { throw .failed(error) }
  }

  /// Ends a step of which nothing is to be recorded, or all is.
  func end(_ step: Step, _ result: StepResult, note: StepNote? = nil) {
    let report = StepReport(step, result, note: note)
    results[StepName(step)] = report
    if result == .done { done[step.effect.action.rawValue, default: 0] += 1 } else { unfinished.insert(step.address) }
    context.applier.tell(report)
  }

  func outcome(of plan: Plan) -> Outcome {
    Outcome(
      reports: plan.steps.map { results[StepName($0)] ?? StepReport($0, .notTried(.runEnded)) },
      storeError: storeError)
  }
}

extension Ledger {
  /// Records changes of the store alone, and then ends their steps.
  func record(_ done: [Step], _ changes: [RecordChange]) {
    guard !done.isEmpty || !changes.isEmpty else { return }
    let error = commit(changes, ending: done)
    if error == nil, done.contains(where: \.effect.changesFingerprints) { reread() }
    for step in done {
      end(step, error.map(StepResult.failed) ?? .done, note: error == nil ? note(on: step) : nil)
    }
  }

  private func reread() {
    do { records.replace(by: try store.recorded()) } catch { storeError = error }
  }

  /// The note about a value whose format no plan could check.
  private func note(on step: Step) -> StepNote? {
    guard case .store(.key(let id, let effect)) = step.effect, step.ground.source == nil else { return nil }
    switch effect {
    case .store, .replace, .adopt: break
    case .move, .update, .retire, .revoke, .purge, .forget, .rollback, .restore, .accept: return nil
    }
    guard let record = records.keys[id], record.missesFormat(of: context.manifest.providers[record.facts.provider])
    else { return nil }
    return .unexpectedFormat(provider: record.facts.provider)
  }

  /// Ends a step outside with what became of it. Its result is recorded with others', in one transaction: with those of its batch, or of its
  /// second.
  func close(_ step: Step, _ result: StepResult, _ changes: [RecordChange] = [], note: StepNote? = nil) {
    // Partial results of a failed step, and results that no later observation shows, are recorded at once.
    let isUrgent = !step.effect.isRepeatable || (result != .done && changes.count > 1)
    let made = result != .done && changes.isEmpty ? withdrawnIntents(of: step) : changes
    let about = [hookChange(after: step), failureChange(after: step, result), .finished(step.address)]
    ended.append((StepReport(step, result, note: note), made + about.compactMap(\.self)))
    if isUrgent || committedAt != context.now { recordEnded() }
  }

  /// Records the results of the steps outside that have ended since the last time.
  func recordEnded() {
    guard !ended.isEmpty else { return }
    let done = ended.filter { $0.report.result == .done }.map(\.report.step)
    // Another one is unfinished only once it has ended.
    for (report, _) in ended where report.result != .done { unfinished.insert(report.step.address) }
    let error = commit(ended.flatMap(\.changes), ending: done)
    for (report, _) in ended {
      let lost = report.result == .done ? error.map { StepResult.failed(.notRecorded($0)) } : nil
      end(report.step, lost ?? report.result, note: lost == nil ? report.note : nil)
    }
    ended = []
  }

  /// The change of a target's hook by a step that has ended; nil if there is none.
  private func hookChange(after step: Step) -> RecordChange? {
    guard case .outside(let effect) = step.effect, case .target(let id) = step.address else { return nil }
    if case .run = effect { return nil }
    guard context.manifest.hooks[id] != nil else {
      return context.start.dueHooks[id] == nil ? nil : .hook(id, isDue: false)
    }
    return effect.changedTarget == nil ? nil : .hook(id, isDue: records.dueHooks.contains(id))
  }

  /// Records the error of a failed step, so that drift reports it until a step there succeeds.
  private func failureChange(after step: Step, _ result: StepResult) -> RecordChange? {
    guard step.effect.recordsFailure else { return nil }
    let address = step.address
    let before = context.start.failures[address]
    let isAccount = if case .calendar = address { true } else { false }
    switch result {
    // Drift asks calendar services itself, and `--unreachable-after` decides which of their outages count.
    case .failed(let failure) where failure.isUnreachable && isAccount: return nil
    case .failed(let failure):
      failed.insert(address)
      return .failure(address, StepError(since: before?.since ?? context.now, reason: failure.reason))
    // One of several steps for a key may have failed before another succeeded.
    case .done: return before == nil || failed.contains(address) ? nil : .failure(address, nil)
    case .notTried, .stale, .needsPerson, .needsKey: return nil
    }
  }
}

/// Tells the steps of one plan apart.
struct StepName: Hashable {
  let address: Address
  let action: Action
  let isMove: Bool

  init(_ step: Step) {
    address = step.address
    action = step.effect.action
    isMove = if case .outside(.withdraw(_, let removal)) = step.effect { removal.isMove } else { false }
  }
}

extension StepFailure {
  /// The reason that the place gave, bounded; nil if it gave none.
  fileprivate var reason: String? {
    let text: String? =
      switch self {
      case .outside(let failure), .nameRefused(_, let failure, _, _), .hook(let failure): failure.reason
      case .reported(let reason, _, _), .revocationUnavailable(let reason, _): reason
      case .unconfirmed(_, _, _, _, let reason): reason
      default: nil
      }
    guard let text else { return nil }
    return String(decoding: text.utf8.prefix(StepError.reasonLimit), as: UTF8.self)
  }
}

extension Effect {
  fileprivate var changesFingerprints: Bool {
    switch self {
    case .store(.rewrap(let rewrap)): rewrap.replacesRootKey
    case .store(.key(_, .move)): true
    case .store, .outside, .person: false
    }
  }

  /// Whether a step that a crash left open shows its result at its place, or in the records, and is planned again from that. What a service
  /// answered, or a source no longer has, does not.
  fileprivate var isRepeatable: Bool {
    switch self {
    case .outside(.sync), .outside(.withdraw), .outside(.run): true
    case .outside, .store, .person: false
    }
  }
}
