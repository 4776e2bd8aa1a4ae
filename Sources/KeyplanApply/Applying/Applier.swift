package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
package import KeyplanSecrets

/// Carries a plan out, step by step, and writes each step down. The caller holds the store's lock.
///
/// Consecutive steps on the store alone are one transaction. Steps outside go in batches: one transaction records that all of
/// a batch begin before the first of them does anything, and one records their results. A step that fails stops only what
/// waits for it. Every step's ground is read again just before it. Cancelling the task ends the run after the steps that
/// are under way.
package struct Applier: Sendable {
  private let store: any RecordStore & TokenStore & Fingerprinting
  var observer: Observer
  let hooks: (any HookRunning)?
  let checks: (any ValueChecking)?
  let issuers: [String: any KeyIssuing]
  let manifest: Manifest
  let allowances: Allowances
  let given: [Identifier<Key>: SecretBox]
  let grants: [Identifier<Account>: AccountGrant]
  let refreshed: [Identifier<Account>: StepResult]
  let run: AppliedRun?
  let clock: @Sendable () -> Moment
  let pause: @Sendable (Duration) async -> Void
  let begin: @Sendable (Step) -> Void
  let tell: @Sendable (StepReport) -> Void

  /// The number of outside steps that run at a time.
  static let bound = 8

  /// - Parameters:
  ///   - observer: asks with the fingerprints of the epoch in which the plan was made.
  ///   - hooks: runs the programs that follow changes at targets; nil where none can be run.
  ///   - checks: asks providers about new values; nil where none can be asked.
  ///   - issuers: make and revoke keys at their providers.
  ///   - given: the values that a person gave for this run.
  ///   - grants: what services granted to people who signed in for this run.
  ///   - refreshed: what became of refreshes of the plan that were made before the store was locked.
  ///   - run: what the store remembers of the plan; nil if it is not remembered.
  ///   - clock: gives the moment that is recorded.
  ///   - pause: waits before a new key is checked again.
  ///   - begin: called when a step starts; not called for steps that are not tried. May be called concurrently.
  ///   - tell: called when a step ends. May be called concurrently.
  package init(
    store: any RecordStore & TokenStore & Fingerprinting, observer: Observer, hooks: (any HookRunning)? = nil,
    checks: (any ValueChecking)? = nil, issuers: [any KeyIssuing] = [], manifest: Manifest,
    allowances: Allowances = Allowances(), given: [Identifier<Key>: SecretBox] = [:],
    grants: [Identifier<Account>: AccountGrant] = [:], refreshed: [Identifier<Account>: StepResult] = [:],
    run: AppliedRun? = nil,
    clock: @escaping @Sendable () -> Moment,
    pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    begin: @escaping @Sendable (Step) -> Void = { _ in },
    tell: @escaping @Sendable (StepReport) -> Void = { _ in }
  ) {
    self.store = store
    self.observer = observer
    self.hooks = hooks
    self.checks = checks
    self.issuers = Dictionary(issuers.map { ($0.connection.name.name, $0) }) { first, _ in first }
    self.pause = pause
    self.manifest = manifest
    self.allowances = allowances
    self.given = given
    self.grants = grants
    self.refreshed = refreshed
    self.run = run
    self.clock = clock
    self.begin = begin
    self.tell = tell
  }

  /// Applies the plan.
  /// - Throws: `StoreError` if the store cannot even be read; then nothing was done.
  package func apply(_ plan: Plan) async throws(StoreError) -> Outcome {
    let moves = Self.moves(plan)
    var applier = self
    applier.observer = observer.moving(moves)
    let recorded = try store.recorded()
    let run = Run(context: RunContext(applier, plan, recorded, moves))
    let ledger = Ledger(run.context, plan, recorded, store)
    for group in StepGroup.all(plan.steps) { await run.carryOut(group, ledger) }
    await ledger.finish()
    return await ledger.outcome(of: plan)
  }

  private static func moves(_ plan: Plan) -> [Identifier<Key>: Identifier<Key>] {
    var moves: [Identifier<Key>: Identifier<Key>] = [:]
    for step in plan.steps {
      if case .store(.key(let new, .move(let old))) = step.effect { moves[new] = old }
    }
    return moves
  }
}

/// The identity of a run, for the store's record of the plan.
package struct AppliedRun: Sendable {
  package let planId: String
  package let invocation: Invocation
  /// Whether the plan has no errors: one that has some is not complete when its steps are done.
  package let isWhole: Bool

  package init(planId: String, invocation: Invocation, isWhole: Bool) {
    (self.planId, self.invocation, self.isWhole) = (planId, invocation, isWhole)
  }
}
