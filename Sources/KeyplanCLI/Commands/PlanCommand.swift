internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanReporting

/// What apply would do.
struct PlanCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what apply would do. Writes nothing.",
    discussion: """
      Compares what the manifest declares, what the store holds, and what is really at the sources and targets.

      For example:
        keyplan plan --out plan.kp --detailed-exitcode
      """
  )
  .parsedAlone

  @OptionGroup var allowed: AllowanceOptions

  @Option(
    help: ArgumentHelp(
      "Write the plan to a file that holds no secret, for `keyplan apply FILE`; - is standard output.",
      valueName: "file"),
    completion: .file())
  var out: String?

  @Option(help: ArgumentHelp("How long the saved plan is good for, such as 2h; else 24 hours.", valueName: "time"))
  var validFor: TimeoutArgument?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Plan only these, such as key.NAME or target.NAME, and what they stand on.", valueName: "address"))
  var only: [TypedAddress] = []

  @Flag(help: "Exit with 2 if there are changes.")
  var detailedExitcode = false

  @OptionGroup var format: FormatOptions

  @OptionGroup var events: EventOptions

  @OptionGroup var report: ReportOptions

  func checkForm() throws(Failure) { try options.check(format.format) }

  func writesJSON(in world: World) -> Bool { format.chosen(options, in: world) == .json }

  func run(in world: World) async throws -> Int32 {
    try await format.annotating("plan", options, in: world) {
      try await events.telling(options, in: world) { try await run(in: world, telling: $0) }
    }
  }

  private func run(in world: World, telling events: Events) async throws -> Int32 {
    let chosen = format.chosen(options, in: world)
    let workspace = try await Workspace(options, in: world)
    let out = try out.map { typed throws(Failure) in
      try ResultFile(typed, .plan, sparing: TakenFiles(workspace.project, in: world), in: world)
    }
    let report = try out?.output(beside: chosen, in: world) ?? world.out
    let planning = try await PlanRun(workspace, allowed.allowances, only: only.map(\.address))
    events.tell(planning)
    // A program gets one document, of what became of all of it; a person reads the plan before why it was not saved.
    if chosen == .json, let out { try PlanFile.write(planning, to: out, validFor: validFor) }
    try planning.show(as: chosen, to: report)
    if planning.workspace.store == nil, !options.isQuiet(in: world) {
      world.err.write("There is no store yet, so nothing can be applied: keyplan init makes one.\n")
    }
    if chosen != .json, let out { try PlanFile.write(planning, to: out, validFor: validFor) }
    var changes: [ExitStatus] = []
    if detailedExitcode, !planning.plan.isEmpty {
      changes = [planning.plan.steps.allSatisfy(\.effect.needsPerson) ? .personNeeded : .changes]
    }
    return ExitStatus.worst(planning.statuses + changes).rawValue
  }
}

/// An address as it is typed.
struct TypedAddress: ExpressibleByArgument, Sendable {
  let address: Address

  init?(argument: String) {
    guard let address = Address(argument) else { return nil }
    self.address = address
  }
}
