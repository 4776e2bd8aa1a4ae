package import KeyplanApply
import KeyplanLocal
package import KeyplanModel
package import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanStore

/// Applies a plan under the store's lock.
package struct ApplyRun {
  private let planning: PlanRun
  private let identities: Identities
  private let timeout: Duration
  private let command: String
  private let listener: Listener
  /// The command, the recipient whose identity runs it, and the CI job.
  package let invocation: Invocation

  /// Observes steps while they run. May be called concurrently.
  package struct Listener: Sendable {
    package var began: @Sendable (Step) -> Void = { _ in }
    package var ended: @Sendable (StepReport) -> Void = { _ in }
    /// The progress display; nil for none.
    package var activity: (any Activity)?

    package init() {}
  }

  /// - Parameters:
  ///   - timeout: the maximum wait for the store's lock; nil not to wait.
  ///   - command: the command shown to others while this process holds the lock.
  package init(
    _ planning: PlanRun, _ identities: Identities, timeout: Duration?, as command: String,
    notifying listener: Listener = Listener()
  ) {
    self.planning = planning
    self.identities = identities
    self.timeout = timeout ?? .zero
    self.command = command
    self.listener = listener
    invocation = Invocation(
      command: command, recipient: identities.name(among: planning.workspace.recorded.recipients),
      job: planning.workspace.world.jobFacts)
  }

  /// Applies the plan. The lock is acquired only now, so that no other process has to wait for a confirmation.
  package func run() async throws(Failure) -> ApplyResult {
    let (workspace, world) = (planning.workspace, planning.workspace.world)
    let accounts = try await lockedAccounts(workspace.place)
    let refreshed = try await PrelockRefreshes(planning, holding: accounts, timeout: timeout).made()
    let lock = try await locked(workspace.place)
    defer { withExtendedLifetime((lock, accounts)) {} }
    let store = try await workspace.place.waiting(in: world) { [identities] () throws(Failure) in
      let store = try OpenStore.open(workspace.place, identities, .writing, under: lock, holding: accounts)
      // The plan's fingerprints are those of another root key.
      guard store.lastFacts.epoch == workspace.recorded.store?.epoch else {
        throw Failure(
          StoreError(
            .stale, "The store's root key was replaced since the plan was made.", hint: "Plan again: keyplan plan"))
      }
      return store
    }
    let activity = listener.activity ?? world.console.activity(LiveLine())
    let applier = Applier(
      store: store, observer: workspace.observer(showing: activity),
      hooks: HookRunner(world.sourceContext(workspace.project.folder, as: workspace.checkout)),
      checks: planning.plan.checksValues ? try ValueChecker(workspace, store) : nil, issuers: workspace.issuers,
      manifest: workspace.manifest,
      allowances: planning.allowances, given: planning.given, grants: planning.grants,
      refreshed: refreshed, run: appliedRun, clock: { world.now },
      begin: listener.began, tell: listener.ended)
    let plan = planning.plan
    let (result, wasInterrupted) = try await activity.showing { () async throws(Failure) in
      await world.console.cancelling { () async -> Result<Outcome, StoreError> in
        do throws(StoreError) {
          return .success(try await applier.apply(plan))
        } catch {
          return .failure(error)
        }
      }
    }
    let outcome: Outcome
    switch result {
    case .success(let value): outcome = value
    case .failure(let error): throw Failure(error)
    }
    // A store that failed has no pins to follow, and after an interruption nothing more is done: a fresh root key was pinned when it was
    // committed.
    var unpinned: Failure?
    if outcome.storeError == nil, !wasInterrupted {
      do throws(Failure) { try planning.pin(store.lastFacts) } catch { unpinned = error }
    }
    let applied = ApplyResult(planning, outcome, unpinned: unpinned, wasInterrupted: wasInterrupted)
    if outcome.storeError == nil { applied.warnOfMisreadValues(store, in: world) }
    return applied
  }

  private var appliedRun: AppliedRun? {
    planning.id.map {
      AppliedRun(planId: $0.description, invocation: invocation, isWhole: planning.statuses.isEmpty)
    }
  }

  private func locked(_ place: ResolvedStore) async throws(Failure) -> StoreLock {
    let world = planning.workspace.world
    let display = world.console.activity(LiveLine(waiting: ["waiting for the lock"]))
    return try await display.showing { () async throws(Failure) in
      try await world.console.ending { [command, timeout] () async throws(Failure) in
        try await Failure.awaiting { () async throws(StoreError) in
          try await StoreLock.acquire(
            for: place.location, command: command, job: world.job, since: world.now, timeout: timeout)
        }
      }
    }
  }

  /// The locks of the accounts whose tokens the plan uses up, in order of their names and before the store's, so that there is no deadlock.
  /// A sign-in has its account's lock already.
  private func lockedAccounts(_ place: ResolvedStore) async throws(Failure) -> [StoreLock] {
    let world = planning.workspace.world
    let names = Set(planning.plan.steps.compactMap(\.effect.tokenUser)).sorted()
    guard !names.isEmpty else { return [] }
    let display = world.console.activity(LiveLine(waiting: ["waiting for a calendar account"]))
    return try await display.showing { () async throws(Failure) in
      try await world.console.ending { [command, timeout] () async throws(Failure) in
        try await Failure.locking { () async throws(StoreError) in
          var locks: [StoreLock] = []
          for name in names {
            // A refresh by another process takes seconds.
            locks.append(
              try await StoreLock.acquire(
                account: name, of: place.location, command: command, job: world.job, since: world.now,
                timeout: max(timeout, .seconds(30))))
          }
          return locks
        }
      }
    }
  }
}

/// The outcome of a plan.
package struct ApplyResult: Sendable {
  package let plan: PlanReport
  package let outcome: Outcome
  /// The reason that keyplan.lock or this machine does not name the store's new root key; nil if it does.
  package let unpinned: Failure?
  /// Exit codes of the run: the plan's own, and those of its steps.
  package let statuses: [ExitStatus]
  /// Whether something had changed since the plan was made, so that a new plan can do the rest.
  package let isStale: Bool

  fileprivate init(_ planning: PlanRun, _ outcome: Outcome, unpinned: Failure?, wasInterrupted: Bool) {
    plan = planning.report
    self.outcome = outcome
    self.unpinned = unpinned
    statuses = planning.statuses(after: outcome) + (unpinned.map { [$0.status] } ?? [])
    let hasStaleSteps = outcome.storeError == nil && outcome.reports.contains { $0.result.isStale }
    isStale = hasStaleSteps && unpinned == nil && !wasInterrupted
    self.hasStaleSteps = hasStaleSteps
  }

  /// Whether steps were refused because something had changed.
  package let hasStaleSteps: Bool

  package var status: ExitStatus { ExitStatus.worst(statuses) }
}

extension PlanRun {
  /// After a fresh root key the pins follow.
  package func pin(_ facts: StoreFacts) throws(Failure) {
    guard workspace.place.pin != nil else { return }
    let serial = workspace.project.pinsSerial ? facts.serial : nil
    try workspace.place.remember(Pin(store: facts.id, roots: [facts.rootID], serial: serial))
  }

  /// Removes the pending root key left by a run that crashed between the commit and the lock-file update.
  package func settlePins() throws(Failure) {
    guard let store = workspace.store, let pin = workspace.place.pin, pin.roots.count > 1 else { return }
    try self.pin(try Failure.from { () throws(StoreError) in try store.facts() })
  }

  /// Whether all unfinished steps require a sign-in, directly or through another step.
  private func onlyPeopleAreNeeded(for open: [StepReport]) -> Bool {
    let waiting = Set(open.filter(\.result.needsPerson).map(\.step.address))
    return open.allSatisfy { waiting.contains($0.step.address) }
  }

  /// Exit codes of a run: 9 > 5 > 7 > 1; then 3 if some steps were applied and others not; otherwise the code of the failure.
  package func statuses(after outcome: Outcome) -> [ExitStatus] {
    // From then on another process had the lock, whatever was done before.
    if outcome.storeError?.code == .lost { return [.locked] }
    let isSomethingDone = outcome.reports.contains { $0.result == .done || $0.result.isPartlyDone }
    let planned = statuses
    if isSomethingDone {
      let open = outcome.reports.filter { $0.result != .done }
      guard planned.isEmpty, onlyPeopleAreNeeded(for: open) else { return [.partly] }
      return [open.isEmpty ? .done : .personNeeded]
    }
    var all = planned
    for report in outcome.reports {
      switch report.result {
      case .done: break
      case .failed(let failure):
        all.append(failure.needsOtherRecipient ? .storeRefused : failure.isUnreachable ? .unreachable : .failed)
      case .needsPerson, .needsKey: all.append(.personNeeded)
      case .stale: all.append(.stale)
      case .notTried: all.append(.interrupted)
      }
    }
    if all.contains(where: { $0 != .interrupted }) { all.removeAll { $0 == .interrupted } }
    return all
  }
}

extension StepResult {
  fileprivate var needsPerson: Bool {
    switch self {
    case .needsPerson, .needsKey: true
    case .done, .failed, .stale, .notTried: false
    }
  }

  fileprivate var isStale: Bool { if case .stale = self { true } else { false } }
}

extension Plan {
  /// Whether providers check new values.
  fileprivate var checksValues: Bool {
    steps.contains { if case .store(let effect) = $0.effect { effect.isChecked } else { false } }
  }
}

extension Effect {
  /// The account whose single-use tokens it uses.
  fileprivate var tokenUser: Identifier<Account>? {
    switch self {
    case .outside(.refresh(let id, _)), .outside(.signOut(let id, _)), .store(.adoptToken(let id, _, _)): id
    case .store, .outside, .person: nil
    }
  }
}
