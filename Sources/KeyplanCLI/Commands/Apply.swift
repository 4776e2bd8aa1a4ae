internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Plans, asks for confirmation, and applies.
struct Apply: EnvironmentsCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Plan, ask for confirmation, and apply the plan.",
    discussion: """
      With a saved plan, exactly that plan is applied; if the state has changed since, the plan is refused as \
      stale. Without a terminal (CI, a pipe, --no-input), pass --yes or a saved plan. On a terminal, apply offers to \
      create the first store of a project, as keyplan init does.

      For example:
        keyplan apply --yes
        keyplan apply plan.kp
      """
  )
  .parsedAlone

  @OptionGroup var allowed: AllowanceOptions

  @OptionGroup var checks: VerifyOption

  @Argument(help: "A plan saved with `keyplan plan --out`.", completion: .file())
  var planfile: String?

  @Option(
    help: ArgumentHelp(
      "Apply without asking, but only if the plan has this id, as approved elsewhere; with --all-environments NAME=ID, once for each.",
      valueName: "id"))
  var expect: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Apply only these addresses, such as key.NAME or target.NAME, and their dependencies.", valueName: "address"))
  var only: [TypedSubject] = []

  @Flag(name: [.customShort("y"), .long], help: "Do not ask for confirmation.")
  var yes = false

  @Flag(help: "Apply in every environment that has an overlay, and of the manifest alone if it has a store.")
  var allEnvironments = false

  @Flag(help: "With --all-environments: go on after an environment that was not applied completely.")
  var keepGoing = false

  @OptionGroup var events: EventOptions

  @OptionGroup var report: ReportOptions

  /// Rejects options that would change a saved plan.
  func validate() throws {
    if expect.count > 1, !allEnvironments { throw ValidationError("--expect can be given once.") }
    if keepGoing, !allEnvironments { throw ValidationError("--keep-going needs --all-environments.") }
    guard let planfile else { return }
    let options =
      (only.isEmpty ? [] : ["--only"]) + allowed.options + (checks.verify ? ["--verify"] : [])
      + (expect.isEmpty ? [] : ["--expect"])
    guard let first = options.first else { return }
    let reason = first == "--expect" ? "the file is the approval" : "the file is applied as it was planned"
    throw ValidationError(
      "\(options.joined(separator: ", ")) cannot be used with the plan file \(planfile): \(reason).")
  }

  func checkForm() throws(Failure) { try checkEnvironments() }

  var optionsOfOne: [String] {
    (planfile == nil ? [] : ["a plan file"]) + (only.isEmpty ? [] : ["--only"])
      + (events.events == nil ? [] : ["--events"])
  }

  mutating func choose(_ environment: String) {
    report.common.environment = environment
    allEnvironments = false
    expect = expect.compactMap { text in
      text.hasPrefix(environment + "=") ? String(text.dropFirst(environment.count + 1)) : nil
    }
  }

  /// Stops after a partial apply, and at a store that is locked or refused, unless `--keep-going` is given.
  func isLast(_ code: Int32) -> Bool {
    !keepGoing && [ExitStatus.partly, .locked, .refused, .storeRefused].map(\.rawValue).contains(code)
  }

  /// Each environment has to be approved before the first one is changed.
  private func requireApprovals(in world: World) throws(Failure) {
    guard !yes || !expect.isEmpty else { return }
    let names = try EveryEnvironment.names(in: world)
    let approved = expect.map { String($0.prefix { $0 != "=" }) }
    if let other = approved.first(where: { !names.contains($0) }) {
      throw Failure(
        .usage, "Wrong usage", "--expect names an unknown environment: \(other).",
        hint: "The environments are \(names.joined(separator: ", ")).")
    }
    if let twice = names.first(where: { name in approved.count { $0 == name } > 1 }) {
      throw Failure(
        .usage, "Wrong usage", "--expect names the environment \(twice) twice.", hint: "Leave one of them out.")
    }
    let missing = names.filter { !approved.contains($0) }
    guard yes || missing.isEmpty else {
      throw Failure(
        .usage, "Not approved", "Nothing approves what would be applied in \(missing.joined(separator: ", ")).",
        hint:
          "Pass --yes, or for each environment --expect NAME=ID with its id from `keyplan plan --all-environments`."
      )
    }
  }

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    if allEnvironments {
      try requireApprovals(in: world)
      return try await runInAll(on: terminal)
    }
    return try await events.logging(on: terminal, world) { try await run(on: terminal, world, logging: $0) }
  }

  /// The checkout's trust encoded in the expected id, so that the same plan is computed again.
  private func checkout(in world: World) throws(Failure) -> Checkout? {
    guard let expect = expect.first else { return nil }
    guard let isTrusted = PlanId.isTrusted(expect) else {
      throw Failure(
        .usage, "Invalid plan id", "\(expect) is not a plan id, which is kp1- followed by 26 characters.",
        hint: "Copy it from the last line of keyplan plan.")
    }
    guard isTrusted else { return .untrusted }
    guard try world.checkout() == .trusted else {
      throw Failure(
        .stale, "Plan of a trusted checkout",
        "\(expect) was planned in a trusted checkout. This checkout is not trusted, so fewer values are compared.",
        hint: "Approve the id of a plan made in CI, or set KEYPLAN_CHECKOUT=trusted where only reviewed files run.")
    }
    return .trusted
  }

  /// The project's store, opened; in a project that never had one a person is asked whether to create it first.
  private func workspace(on terminal: Terminal, _ world: World) async throws -> Workspace {
    let workspace = try await Workspace(in: world, as: try checkout(in: world))
    guard planfile == nil, expect.isEmpty, !yes, terminal.mayAsk, !terminal.isJSON,
      try FirstStore.isMissing(for: workspace)
    else { return workspace }
    try await SetupReport(terminal: terminal, world: world).offer(at: workspace.place)
    return try await Workspace(in: world)
  }

  private func plan(_ workspace: Workspace) async throws(Failure) -> PlanRun {
    try await PlanRun(
      workspace, allowed.allowances, isChecking: checks.verify, only: workspace.addresses(named: only.map(\.text)))
  }

  private func run(on terminal: Terminal, _ world: World, logging events: Events) async throws -> Int32 {
    let workspace = try await checks.workspace(try await workspace(on: terminal, world), only: only)
    if !expect.isEmpty, workspace.project.pinsSerial {
      throw Failure(
        .usage, "--expect with pin: serial",
        "With `pin: serial`, each apply changes keyplan.lock, so the file would change between the approval of a plan "
          + "and its apply, in a checkout that nobody commits.",
        hint: "Remove `pin: serial` from the manifest, and set a serial in the job's KEYPLAN_PIN instead.")
    }
    let planning: PlanRun
    if let planfile {
      planning = try PlanFile.read(planfile, workspace, style: terminal.style(for: terminal.err))
    } else {
      planning = try await plan(workspace)
    }
    events.log(planning)
    // A job that is rerun with a plan that was already applied.
    if let serial = planning.savedAt, let id = planning.id?.description, !planning.plan.isEmpty,
      let applied = workspace.recorded.applied.completed(id, madeAt: serial)
    {
      return try Self.showApplied(applied, planning, on: terminal)
    }
    if let expect = expect.first, let id = planning.id, id.description != expect {
      if let applied = workspace.recorded.applied.completed(expect) {
        return try Self.showApplied(applied, planning, on: terminal)
      }
      if !terminal.isJSON { try terminal.show(planning, as: .text) }
      throw Failure(
        .stale, "Stale plan id",
        "The plan's id is \(id), not \(expect): "
          + (id.isNearly(expect)
            ? "one of the two is probably mistyped." : "state changed since that plan was made."),
        hint: "Review this plan and approve its id: keyplan apply --expect \(id)")
    }
    let isApproved = yes || planfile != nil || !expect.isEmpty
    let approval = Approval(asks: !isApproved, hint: Approval.hint, command: "keyplan apply", events: events)
    guard yes, planfile == nil, expect.isEmpty else {
      return try await approval.carryOut(planning, on: terminal).rawValue
    }
    return try await approval.carryOut(planning, on: terminal) {
      try await plan(try await Workspace(in: world))
    }
    .rawValue
  }

  /// For a job that is rerun with the id of a plan that was already applied.
  private static func showApplied(_ applied: AppliedPlan, _ planning: PlanRun, on terminal: Terminal) throws -> Int32 {
    if terminal.isJSON {
      let empty = PlanReport(
        Plan(steps: []), environment: planning.report.environment, store: planning.report.store, id: applied.id)
      terminal.out.write(try Document.applied(empty, nil))
    } else {
      let time = terminal.style(for: terminal.out).time(applied.at)
      terminal.out.write("Nothing to do: \(applied.id) was applied at \(time).\n")
    }
    return ExitStatus.done.rawValue
  }
}
