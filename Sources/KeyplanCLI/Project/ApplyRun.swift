internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanReporting
internal import KeyplanStore

/// Carries a plan out under the store's lock, and tells what became of it.
struct ApplyRun {
  private let planning: PlanRun
  private let identities: Identities
  private let timeout: Duration
  private let events: Events?
  private let command: String

  init(
    _ planning: PlanRun, _ identities: Identities, timeout: TimeoutArgument?, telling events: Events?,
    as command: String
  ) {
    self.command = command
    self.planning = planning
    self.identities = identities
    self.timeout = timeout?.duration ?? .zero
    self.events = events
  }

  /// How a run ended.
  struct Ending {
    let status: ExitStatus
    /// Whether something had changed since the plan was made, so that another plan can do the rest.
    let isStale: Bool
  }

  /// Carries the plan out as it is.
  func run() async throws -> ExitStatus { try await run(goesOn: false).status }

  /// Takes the lock only now, after the *yes*: nobody waits for a person who reads.
  /// - Parameter goesOn: whether the rest of a stale plan is planned and applied next. Then only what was done is told.
  func run(goesOn: Bool) async throws -> Ending {
    let (workspace, world) = (planning.workspace, planning.workspace.world)
    let accounts = try await lockedAccounts(workspace.place)
    let refreshed = try await PrelockRefreshes(planning, holding: accounts, timeout: timeout).made()
    let lock = try await locked(workspace.place)
    defer { withExtendedLifetime((lock, accounts)) {} }
    let store = try await workspace.place.waiting { [identities] () throws(Failure) in
      try OpenStore.open(workspace.place, identities, .writing, under: lock, holding: accounts)
    }
    let progress = Progress(planning.plan, workspace.options, in: world)
    let applier = Applier(
      store: store, observer: workspace.observer(hearing: progress.display), manifest: workspace.manifest,
      allowances: planning.allowances, given: planning.given, grants: planning.grants,
      refreshed: refreshed, planId: planning.statuses.isEmpty ? planning.id?.description : nil, clock: { world.now },
      begin: { [events] step in
        progress.begin(step)
        events?.tell(.applyStart(step))
      },
      tell: { [events] report in
        progress.tell(report)
        events?.tell(.applyEnd(report))
      })
    let plan = planning.plan
    let (result, wasInterrupted) = try await progress.display.showing { () async throws(Failure) in
      await Interrupts.cancelling { () async -> Result<Outcome, StoreError> in
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
    events?.tell(outcome)
    // What became of the plan is told, whatever becomes of keyplan.lock. A store that would not go on has no news for it, and who
    // interrupts does not wait for another look at it: a fresh root was pinned as it was committed.
    var unpinned: Failure?
    if outcome.storeError == nil, !wasInterrupted {
      do throws(Failure) { try planning.pin(store) } catch { unpinned = error }
    }
    let isStale = outcome.storeError == nil && outcome.reports.contains { $0.result.isStale }
    // A run that goes on writes one JSON document at its end, and text only about what was done so far.
    let isLast = !(isStale && goesOn)
    let isJSON = workspace.options.isJSON(in: world)
    if isLast || !isJSON && outcome.reports.contains(where: { $0.result == .done }) { try show(outcome) }
    if let unpinned {
      world.err.write(FailureText.render(unpinned, style: workspace.options.style(for: world.err, in: world)))
    }
    let status = ExitStatus.worst(planning.statuses(after: outcome) + (unpinned.map { [$0.status] } ?? []))
    return Ending(status: status, isStale: isStale && unpinned == nil && !wasInterrupted)
  }

  private func locked(_ place: ResolvedStore) async throws(Failure) -> StoreLock {
    let (options, world) = (planning.workspace.options, planning.workspace.world)
    let display = LiveDisplay(LiveLine(waiting: ["waiting for the lock"]), options, in: world)
    return try await display.showing { () async throws(Failure) in
      try await Interrupts.ending { [command, timeout] () async throws(Failure) in
        try await Failure.awaiting { () async throws(StoreError) in
          try await StoreLock.acquire(
            for: place.location, command: command, job: world.job, since: world.now, timeout: timeout)
        }
      }
    }
  }

  /// The locks of the accounts whose tokens the plan uses up, in order of their names and before the store's, so that nobody
  /// waits in a circle. Who signs a person in holds that account's already.
  private func lockedAccounts(_ place: ResolvedStore) async throws(Failure) -> [StoreLock] {
    let (options, world) = (planning.workspace.options, planning.workspace.world)
    let names = Set(planning.plan.steps.filter(\.effect.usesTokens).compactMap(\.account)).sorted()
    guard !names.isEmpty else { return [] }
    let display = LiveDisplay(LiveLine(waiting: ["waiting for a calendar account"]), options, in: world)
    return try await display.showing { () async throws(Failure) in
      try await Interrupts.ending { [command, timeout] () async throws(Failure) in
        try await Failure.locking { () async throws(StoreError) in
          var locks: [StoreLock] = []
          for name in names {
            // A refresh elsewhere is over in seconds.
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

  private func show(_ outcome: Outcome) throws {
    let (options, world) = (planning.workspace.options, planning.workspace.world)
    let reports = outcome.reports
    if options.isJSON(in: world) {
      world.out.write(try Document.applied(planning.report, reports))
    } else {
      world.out.write(
        OutcomeText.render(
          reports, isRecorded: outcome.storeError == nil, style: options.style(for: world.out, in: world)))
    }
  }
}

extension PlanRun {
  /// After a fresh root key the pins follow.
  func pin(_ store: SealedStore) throws(Failure) {
    guard workspace.place.pin != nil else { return }
    try workspace.place.remember(try Pin(of: store))
  }

  /// Removes the second root key that a run announced and left behind when it died between the store and keyplan.lock.
  func settlePins() throws(Failure) {
    guard let store = workspace.store, let pin = workspace.place.pin, pin.roots.count > 1 else { return }
    try self.pin(store)
  }

  /// Whether all that is not done waits for somebody who signs in, or for a step that does.
  private func onlyPeopleAreNeeded(for open: [StepReport]) -> Bool {
    let waiting = Set(open.filter { if case .needsPerson = $0.result { true } else { false } }.map(\.step.address))
    return open.allSatisfy { waiting.contains($0.step.address) }
  }

  /// Exit codes of a run: 9 > 5 > 7 > 1; then 3 if anything was applied and anything was not; else what went wrong.
  func statuses(after outcome: Outcome) -> [ExitStatus] {
    // Whatever was done before, from there on the store was somebody else's.
    if outcome.storeError?.code == .lost { return [.locked] }
    let isSomethingDone = outcome.reports.contains { $0.result == .done }
    let told = statuses
    if isSomethingDone {
      let open = outcome.reports.filter { $0.result != .done }
      guard told.isEmpty, onlyPeopleAreNeeded(for: open) else { return [.partly] }
      return [open.isEmpty ? .done : .personNeeded]
    }
    var all = told
    for report in outcome.reports {
      switch report.result {
      case .done: break
      case .failed(let failure): all.append(failure.isUnreachable ? .unreachable : .failed)
      case .needsPerson: all.append(.personNeeded)
      case .stale: all.append(.stale)
      case .notTried: all.append(.interrupted)
      }
    }
    if all.contains(where: { $0 != .interrupted }) { all.removeAll { $0 == .interrupted } }
    return all
  }
}

extension Effect {
  /// Whether it shows a service the tokens that must be shown once only.
  fileprivate var usesTokens: Bool {
    switch self {
    case .refresh, .adoptToken, .signOut: true
    default: false
    }
  }
}

extension StepResult {
  fileprivate var isStale: Bool { if case .stale = self { true } else { false } }
}

extension Step {
  fileprivate var account: Identifier<Account>? { if case .calendar(let id) = address { id } else { nil } }
}
