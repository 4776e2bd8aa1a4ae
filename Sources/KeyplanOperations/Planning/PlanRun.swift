package import KeyplanApply
internal import KeyplanFiles
internal import KeyplanManifest
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting
package import KeyplanSecrets
package import KeyplanStore

/// A plan and its inputs, for commands that plan.
package struct PlanRun {
  package let workspace: Workspace
  package let plan: Plan
  package let diagnostics: [Diagnostic]
  package let allowances: Allowances
  package let given: [Identifier<Key>: SecretBox]
  /// The tokens granted in sign-ins of this run.
  package let grants: [Identifier<Account>: AccountGrant]
  /// Nil without a store, because there is no signing key.
  package let id: PlanId?
  let left: LookedAt
  /// The addresses that it was limited to; empty for everything.
  let only: [Address]
  /// The store's serial when a saved plan was made; nil for one of this run.
  package internal(set) var savedAt: Int64?

  /// Observes and plans; with a selection, only the selection and its dependencies.
  /// - Parameter isChecking: whether providers check new values before the apply stores them.
  /// - Parameter issued: the provider's keys that have the given values, if their ids were given.
  /// - Parameter dates: the dates of issue that were given with values.
  /// - Parameter wanted: the way in which apply generates the next values of keys that a person named; nil for those that are made at their
  ///   provider.
  package init(
    _ workspace: Workspace, _ allowances: Allowances = Allowances(),
    given: [Identifier<Key>: SecretBox] = [:], issued: [Identifier<Key>: IssuedKeys.Key] = [:],
    dates: [Identifier<Key>: Moment] = [:], isChecking: Bool = false, wanted: [Identifier<Key>: GeneratedValue?] = [:],
    only chosen: [Address] = []
  ) async throws(Failure) {
    let selection = try Self.selection(chosen, workspace)
    var observation = try await workspace.observe(given, wanted: wanted, only: selection)
    (observation.issued, observation.dates) = (issued, dates)
    if isChecking || !workspace.issuers.isEmpty {
      observation.checkable = workspace.checkable { isChecking || $0.minting != nil }
    }
    let (plan, reported) = Plan.reconciling(
      workspace.manifest, with: observation, allowing: allowances, at: workspace.world.now)
    let read = workspace.project.reading.diagnostics
    workspace.warnOfPreviews(in: selection.map { plan.limited(to: $0) } ?? plan, isVerified: isChecking)
    guard let selection else {
      self.init(workspace, plan, read + reported, allowances, given, left: LookedAt(observation, workspace.manifest))
      return
    }
    let kept = (read + reported).filter { $0.address.map(selection.contains) ?? true }
    self.init(
      workspace, plan.limited(to: selection), kept, allowances, given, left: LookedAt(observation, workspace.manifest),
      only: chosen)
  }

  private static func selection(_ chosen: [Address], _ workspace: Workspace) throws(Failure) -> Selection? {
    guard !chosen.isEmpty else { return nil }
    try workspace.requireKnown(chosen)
    return Selection(chosen, in: workspace.manifest, recorded: workspace.recorded)
  }

  package init(
    _ workspace: Workspace, _ plan: Plan, _ diagnostics: [Diagnostic], _ allowances: Allowances,
    _ given: [Identifier<Key>: SecretBox] = [:], grants: [Identifier<Account>: AccountGrant] = [:],
    left: LookedAt = LookedAt(), only: [Address] = []
  ) {
    (self.left, self.only) = (left, only)
    self.workspace = workspace
    self.plan = plan
    self.diagnostics = (diagnostics + Self.unpinned(plan, workspace) + Self.notIgnored(plan, workspace)).sorted()
    self.allowances = allowances
    self.given = given
    self.grants = grants
    id = workspace.store.flatMap { store in
      workspace.recorded.store.map {
        PlanId(
          of: plan, store: $0, environment: workspace.place.environment,
          isTrusted: workspace.checkout == .trusted, signing: store)
      }
    }
  }

  /// Refuses to remove originals if the store is not pinned.
  private static func unpinned(_ plan: Plan, _ workspace: Workspace) -> [Diagnostic] {
    guard workspace.store != nil, workspace.place.pin == nil else { return [] }
    let origins = plan.steps.compactMap { step in
      if case .outside(.removeOriginal(_, _, let origin)) = step.effect { (step.address, origin) } else { nil }
    }
    guard let (address, origin) = origins.first else { return [] }
    let what = origins.count == 1 ? origin : "\(origin) and \(origins.count - 1) more"
    return [
      Diagnostic(
        .removalRefused, "\(what) would be removed, but no keyplan.lock names the store that has the value.",
        hint: "Restore keyplan.lock from git, write it again with `keyplan trust`, or use `original: keep`.",
        at: workspace.manifest.migrations.first { $0.address == address }?.place, of: address)
    ]
  }

  /// The files that targets write for the first time and git does not ignore. Later, `doctor` reports them.
  private static func notIgnored(_ plan: Plan, _ workspace: Workspace) -> [Diagnostic] {
    let new = plan.steps.compactMap { step -> (id: Identifier<Target>, place: Destination)? in
      guard case .outside(.sync(let id, let write)) = step.effect, workspace.recorded.targets[id] == nil else {
        return nil
      }
      return (id, write.destination)
    }
    guard !new.isEmpty else { return [] }
    let files = KnownBackends.plainFiles
    let (world, looksOutside) = (workspace.world, workspace.world.mayReadOutsideCheckout)
    var written: [String: Identifier<Target>] = [:]
    for (id, place) in new where files.contains(place.type) && (looksOutside || place.surface == nil) {
      written[place.location] = id
    }
    return ExposedFile.among(written.keys.sorted(), of: workspace.project.folder, in: world).compactMap { file in
      guard file.state != .tracked, let id = written[file.named] else { return nil }
      return Diagnostic(
        .targetNotIgnored, file.detail, hint: file.hint(from: world.directory),
        at: workspace.manifest.targets[id]?.place, of: .target(id))
    }
  }

  /// The plan without steps and diagnostics of other addresses.
  package func limited(to address: Address) -> PlanRun {
    PlanRun(
      workspace, plan.limited { $0 == address },
      diagnostics.filter { $0.address == address || $0.code.reach == .everything && $0.code.severity == .error },
      allowances, given, only: [address])
  }

  /// The exit codes of the diagnostics.
  package var statuses: [ExitStatus] {
    diagnostics.filter { $0.code.severity == .error }.map { diagnostic in
      diagnostic.code.isGuard
        ? .refused
        : diagnostic.code == .valueClosed ? .storeRefused : diagnostic.code.isUnreachable ? .unreachable : .failed
    }
  }

  /// The reports of a plan in which every step requires a person.
  package var waiting: [StepReport] {
    plan.steps.map { step in
      switch step.effect {
      case .person(.signIn(_, let need)): StepReport(step, .needsPerson(need))
      case .person(.issue(let id, let manual)): StepReport(step, .needsKey(manual, of: id))
      case .store, .outside: StepReport(step, .notTried(.signInFirst))
      }
    }
  }

  /// Whether an error blocks the whole plan.
  package var isHeldBack: Bool { report.isHeldBack }

  package var report: PlanReport {
    PlanReport(
      plan, diagnostics: diagnostics, environment: workspace.place.environment, store: workspace.recorded.store,
      id: id?.description,
      recorded: workspace.recorded.moving(workspace.manifest.moves(in: workspace.recorded)), left: left, only: only)
  }

  /// The store, for commands that require one.
  /// Whether the identity can only plan.
  package var isPlanOnly: Bool { workspace.store?.isPlanOnly == true }

  package func needStore() throws(Failure) -> (store: SealedStore, identities: Identities) {
    guard let store = workspace.store, let identities = workspace.identities else {
      throw Failure.noStore(workspace.place)
    }
    return (store, identities)
  }
}
