internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanOperations
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

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    return try await events.logging(on: terminal, world) { try await run(on: terminal, world, logging: $0) }
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
        "\(expect) was planned in a trusted checkout. This checkout is not trusted, so less is compared here.",
        hint: "Approve the id of a plan made in CI, or set KEYPLAN_CHECKOUT=trusted where only reviewed files run.")
    }
    return .trusted
  }

  private func run(on terminal: Terminal, _ world: World, logging events: Events) async throws -> Int32 {
    let workspace = try await Workspace(in: world, as: try checkout(in: world))
    let planning: PlanRun
    if let planfile {
      planning = try PlanFile.read(planfile, workspace, style: terminal.style(for: terminal.err))
    } else {
      planning = try await PlanRun(workspace, allowed.allowances, only: only.map(\.address))
    }
    events.log(planning)
    // A job that is run once more with the plan that it has applied.
    if planfile != nil, let id = planning.id?.description, !planning.plan.isEmpty,
      let applied = workspace.recorded.applied.last(where: { $0.id == id })
    {
      return try Self.showApplied(applied, planning, on: terminal)
    }
    if let expect, let id = planning.id, id.description != expect {
      if let applied = workspace.recorded.applied.last(where: { $0.id == expect }) {
        return try Self.showApplied(applied, planning, on: terminal)
      }
      if !terminal.isJSON { try terminal.show(planning, as: .text) }
      throw Failure(
        .stale, "Stale plan id", "The plan's id is \(id), not \(expect): state changed since that plan was made.",
        hint: "Read this plan, and approve its id.")
    }
    let isApproved = yes || planfile != nil || expect != nil
    let approval = Approval(asks: !isApproved, hint: Approval.hint, command: "keyplan apply", events: events)
    guard yes, planfile == nil, expect == nil else {
      return try await approval.carryOut(planning, on: terminal).rawValue
    }
    return try await approval.carryOut(planning, on: terminal) {
      try await PlanRun(try await Workspace(in: world), allowed.allowances, only: only.map(\.address))
    }
    .rawValue
  }

  /// A job that is run once more, with the id of a plan that it has applied.
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
