internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanFiles
internal import KeyplanManifest
internal import KeyplanReporting
internal import KeyplanSecrets
internal import KeyplanStore

/// A plan with all it stands on, for the commands that plan.
struct PlanRun {
  let workspace: Workspace
  let plan: Plan
  let diagnostics: [Diagnostic]
  let allowances: Allowances
  let given: [Identifier<Key>: SecretBox]
  /// What services granted to people who signed in for this run.
  let grants: [Identifier<Account>: AccountGrant]
  /// Nil while there is no store: there is no key to sign with.
  let id: PlanId?

  /// Observes and plans; with a selection, only what was selected and what it stands on.
  init(
    _ workspace: Workspace, _ allowances: Allowances = Allowances(),
    given: [Identifier<Key>: SecretBox] = [:], only chosen: [Address] = []
  ) async throws(Failure) {
    let selection = try Self.selection(chosen, workspace)
    let observation = try await workspace.observe(given, only: selection)
    let (plan, told) = Plan.reconciling(
      workspace.manifest, with: observation, allowing: allowances, at: workspace.world.now)
    let read = workspace.project.reading.diagnostics
    guard let selection else {
      self.init(workspace, plan, read + told, allowances, given)
      return
    }
    let kept = (read + told).filter { $0.address.map(selection.contains) ?? true }
    self.init(workspace, plan.limited(to: selection), kept, allowances, given)
  }

  private static func selection(_ chosen: [Address], _ workspace: Workspace) throws(Failure) -> Selection? {
    guard !chosen.isEmpty else { return nil }
    try workspace.requireKnown(chosen)
    return Selection(chosen, in: workspace.manifest, recorded: workspace.recorded)
  }

  init(
    _ workspace: Workspace, _ plan: Plan, _ diagnostics: [Diagnostic], _ allowances: Allowances,
    _ given: [Identifier<Key>: SecretBox] = [:], grants: [Identifier<Account>: AccountGrant] = [:]
  ) {
    self.workspace = workspace
    self.plan = plan
    self.diagnostics = (diagnostics + Self.unpinned(plan, workspace)).sorted()
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

  /// Nothing is taken away from where it was for a store that could be anybody's.
  private static func unpinned(_ plan: Plan, _ workspace: Workspace) -> [Diagnostic] {
    guard workspace.store != nil, workspace.place.pin == nil else { return [] }
    let origins = plan.steps.compactMap { step in
      if case .remove(_, let origin) = step.effect { (step.address, origin) } else { nil }
    }
    guard let (address, origin) = origins.first else { return [] }
    let what = origins.count == 1 ? origin : "\(origin) and \(origins.count - 1) more"
    return [
      Diagnostic(
        .removalRefused, "\(what) would be removed, and no keyplan.lock names the store that has the value.",
        hint: "Put back the keyplan.lock that `keyplan init` wrote, or say `original: keep`.",
        at: workspace.manifest.migrations.first { $0.address == address }?.place, of: address)
    ]
  }

  /// What the diagnostics come to as exit codes.
  var statuses: [ExitStatus] {
    diagnostics.filter { $0.code.severity == .error }.map { diagnostic in
      diagnostic.code.isGuard ? .refused : diagnostic.code.isUnreachable ? .unreachable : .failed
    }
  }

  /// The reports of a plan in which everything waits for somebody who signs in.
  var waiting: [StepReport] {
    plan.steps.map { step in
      guard case .authorize(let need) = step.effect else { return StepReport(step, .notTried(.signInFirst)) }
      return StepReport(step, .needsPerson(need))
    }
  }

  /// Whether an error holds everything back.
  var isHeldBack: Bool { report.isHeldBack }

  var report: PlanReport {
    PlanReport(
      plan, diagnostics: diagnostics, environment: workspace.place.environment, store: workspace.recorded.store,
      id: id?.description,
      recorded: workspace.recorded.moving(workspace.manifest.moves(in: workspace.recorded)))
  }

  /// The store, for commands that cannot do without.
  func needStore() throws(Failure) -> (store: SealedStore, identities: Identities) {
    guard let store = workspace.store, let identities = workspace.identities else {
      throw Failure.noStore(workspace.place)
    }
    return (store, identities)
  }

  /// Writes the plan.
  /// - Parameter output: nil for standard output.
  func show(as format: ReportFormat, to output: Output? = nil) throws {
    let world = workspace.world
    let output = output ?? world.out
    switch format {
    case .text:
      output.write(
        PlanText.render(
          report, style: workspace.options.style(for: output, in: world), at: world.now,
          source: workspace.project.sourceLine))
    case .markdown: output.write(PlanMarkdown.render(report, at: world.now))
    case .json: output.write(try Document.plan(report))
    case .github:
      let github = GitHub(world: world)
      github.tell(
        GitHubText.annotations(diagnostics, path: github.path), summary: PlanMarkdown.render(report, at: world.now))
      github.set([("changes", "\(!plan.isEmpty)")] + (id.map { [("id", "\($0)")] } ?? []))
    }
  }
}
