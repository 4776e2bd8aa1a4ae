internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanReporting

/// Plans, shows, asks, applies.
struct Apply: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Plan, show, ask, and carry the plan out.",
    discussion: """
      With a saved plan, exactly that plan is carried out; what has changed since it was made is refused as stale. \
      Where nobody can be asked (CI, a pipe, --no-input), say --yes or give a saved plan.

      For example:
        keyplan apply --yes
        keyplan apply plan.kp
      """
  )
  .parsedAlone

  @OptionGroup var allowed: AllowanceOptions

  @Argument(help: "A plan that `keyplan plan --out` wrote.", completion: .file())
  var planfile: String?

  @Option(
    help: ArgumentHelp("Apply only if the plan has this id: the approval of a plan read elsewhere.", valueName: "id"))
  var expect: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Apply only these, such as key.NAME or target.NAME, and what they stand on.", valueName: "address"))
  var only: [TypedAddress] = []

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  @OptionGroup var events: EventOptions

  @OptionGroup var report: ReportOptions

  /// A plan file is carried out as it was made: what would change the plan belongs to `plan`.
  func validate() throws {
    guard let planfile else { return }
    let options =
      (only.isEmpty ? [] : ["--only"]) + allowed.options + (expect == nil ? [] : ["--expect"])
    guard let first = options.first else { return }
    let reason = first == "--expect" ? "the file is the approval" : "the file is applied as it was planned"
    throw ValidationError(
      "\(options.joined(separator: ", ")) cannot be used with the plan file \(planfile): \(reason).")
  }

  func run(in world: World) async throws -> Int32 {
    try await events.telling(options, in: world) { try await run(in: world, telling: $0) }
  }

  /// How the plan with the expected id was made: the same is planned in the same way.
  private func checkout(in world: World) throws(Failure) -> Checkout? {
    guard let expect else { return nil }
    guard let isTrusted = PlanId.isTrusted(expect) else {
      throw Failure(
        .usage, "Invalid plan id", "\(expect) is not the id of a plan: kp1- and 26 characters.",
        hint: "Copy it from the last line of keyplan plan.")
    }
    guard isTrusted else { return .untrusted }
    guard try world.checkout() == .trusted else {
      throw Failure(
        .stale, "Plan of a trusted checkout",
        "\(expect) was planned in a trusted checkout, and this one is not trusted, so less is compared here.",
        hint: "Approve the id of a plan made in CI, or set KEYPLAN_CHECKOUT=trusted where only reviewed files run.")
    }
    return .trusted
  }

  private func run(in world: World, telling events: Events) async throws -> Int32 {
    let workspace = try await Workspace(options, in: world, as: try checkout(in: world))
    let planning: PlanRun
    if let planfile {
      planning = try PlanFile.read(planfile, workspace)
    } else {
      planning = try await PlanRun(workspace, allowed.allowances, only: only.map(\.address))
    }
    events.tell(planning)
    // A job that is run once more with the plan that it has applied.
    if planfile != nil, let id = planning.id?.description, !planning.plan.isEmpty,
      let applied = workspace.recorded.applied.last(where: { $0.id == id })
    {
      return try Self.tellApplied(applied, planning)
    }
    if let expect, let id = planning.id, id.description != expect {
      if let applied = workspace.recorded.applied.last(where: { $0.id == expect }) {
        return try Self.tellApplied(applied, planning)
      }
      if !options.isJSON(in: world) { try planning.show(as: .text) }
      throw Failure(
        .stale, "Another plan", "The plan's id is \(id), and \(expect) was expected: what it stands on has changed.",
        hint: "Read this plan, and approve its id.")
    }
    let isApproved = yes || planfile != nil || expect != nil
    let timeout = try options.lockTimeout(in: world)
    guard yes, planfile == nil, expect == nil else {
      return try await Self.carryOut(planning, asking: !isApproved, timeout: timeout, telling: events).rawValue
    }
    return try await Self.carryOut(planning, asking: false, timeout: timeout, telling: events) {
      try await PlanRun(try await Workspace(options, in: world), allowed.allowances, only: only.map(\.address))
    }
    .rawValue
  }

  /// How often a plan is made anew because something changed while the lock was waited for.
  private static let renewals = 3

  /// A job that is run once more, with the id of a plan that it has applied.
  private static func tellApplied(_ applied: AppliedPlan, _ planning: PlanRun) throws -> Int32 {
    let (options, world) = (planning.workspace.options, planning.workspace.world)
    if options.isJSON(in: world) {
      let empty = PlanReport(
        Plan(steps: []), environment: planning.report.environment, store: planning.report.store, id: applied.id)
      world.out.write(try Document.applied(empty, nil))
    } else {
      let time = options.style(for: world.out, in: world).time(applied.at)
      world.out.write("Nothing to do: \(applied.id) was applied at \(time).\n")
    }
    return ExitStatus.done.rawValue
  }

  /// Shows a plan, asks where that is wanted, and applies it.
  /// - Parameters:
  ///   - command: the command that the lock's holder is shown with.
  ///   - renewals: how many times a stale plan is replaced by a new one.
  ///   - renew: makes a new plan; nil if only this plan was approved.
  static func carryOut(
    _ planning: PlanRun, asking: Bool, timeout: TimeoutArgument?, telling events: Events? = nil,
    hint: String = approval,
    as command: String = "keyplan apply", renewals: Int = Self.renewals, renew: (() async throws -> PlanRun)? = nil
  ) async throws -> ExitStatus {
    let (options, world) = (planning.workspace.options, planning.workspace.world)
    let (_, identities) = try planning.needStore()
    let isJSON = options.isJSON(in: world)
    if !isJSON { try planning.show(as: .text) }
    guard !planning.isHeldBack, !planning.plan.isEmpty else {
      if !planning.isHeldBack { try planning.settlePins() }
      if isJSON { world.out.write(try Document.applied(planning.report, nil)) }
      return ExitStatus.worst(planning.statuses)
    }
    // Nothing is left that an apply could do: nobody is asked, and nothing is locked.
    if planning.plan.steps.allSatisfy(\.effect.needsPerson), planning.grants.isEmpty {
      if isJSON { world.out.write(try Document.applied(planning.report, planning.waiting)) }
      return ExitStatus.worst(planning.statuses + [.personNeeded])
    }
    if asking { try ask(options, in: world, hint: hint) }
    let applying = ApplyRun(planning, identities, timeout: timeout, telling: events, as: command)
    let renew = renewals > 0 ? renew : nil
    let ending = try await applying.run(goesOn: renew != nil)
    guard ending.isStale, let renew else { return ending.status }
    let again = try await renew()
    events?.tell(again)
    if !isJSON { world.out.write("\nSomething changed since this plan was made. It is planned again:\n\n") }
    return try await carryOut(
      again, asking: false, timeout: timeout, telling: events, as: command, renewals: renewals - 1, renew: renew)
  }

  /// How an apply can be approved where nobody can be asked.
  private static let approval = "Say --yes, --expect ID, or give a plan that was saved with `keyplan plan --out FILE`."

  private static func ask(_ options: GlobalOptions, in world: World, hint: String) throws(Failure) {
    guard options.mayAsk(in: world) else {
      throw Failure(
        .usage, "Nobody can be asked", "This is no terminal, or asking was switched off.",
        hint: hint)
    }
    guard try Prompt.confirms("Apply this plan? Only `yes` is taken: ") else {
      throw Failure(.interrupted, "Not applied", "Nothing was done.")
    }
  }
}

/// How long somebody is willing to wait: `30s`, `5m`; `0s` does not wait.
struct TimeoutArgument: ExpressibleByArgument, Sendable {
  let interval: Interval
  var duration: Duration { .seconds(interval.seconds) }

  init?(argument: String) {
    let seconds = argument == "0s" || argument == "0" ? 0 : Interval(argument)?.seconds
    guard let seconds else { return nil }
    interval = Interval(seconds: seconds)
  }
}
