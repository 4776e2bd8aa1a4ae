internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Shows the plan of an apply.
struct PlanCommand: EnvironmentsCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what apply would do.",
    discussion: """
      Compares the manifest, the store, and the current state of sources and targets. Without --verify, the store is \
      only read.

      For example:
        keyplan plan --out plan.kp --detailed-exitcode
      """
  )
  .parsedAlone

  @OptionGroup var allowed: AllowanceOptions

  @OptionGroup var checks: VerifyOption

  @Option(
    help: ArgumentHelp(
      "Write the plan, which contains no secrets, to a file for `keyplan apply FILE`; - means standard output.",
      valueName: "file"),
    completion: .file())
  var out: String?

  @Option(help: ArgumentHelp("How long the saved plan is valid, such as 2h (default: 24h).", valueName: "time"))
  var validFor: TimeoutArgument?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Plan only these addresses, such as key.NAME or target.NAME, and their dependencies.", valueName: "address"))
  var only: [TypedSubject] = []

  @Flag(help: "Exit with 2 if there are changes.")
  var detailedExitcode = false

  @Flag(help: "Plan every environment that has an overlay, and the manifest alone if it has a store.")
  var allEnvironments = false

  @OptionGroup var format: FormatOptions

  @OptionGroup var events: EventOptions

  @OptionGroup var report: ReportOptions

  func checkForm() throws(Failure) {
    try options.check(format.format)
    try checkEnvironments(format.format ?? .text)
  }

  var optionsOfOne: [String] {
    (out == nil ? [] : ["--out"]) + (only.isEmpty ? [] : ["--only"]) + (events.events == nil ? [] : ["--events"])
  }

  func writesJSON(on terminal: Terminal) -> Bool { format.chosen(on: terminal) == .json }

  func run(on terminal: Terminal) async throws -> Int32 {
    if allEnvironments { return try await runInAll(on: terminal) }
    return try await format.annotating("plan", on: terminal) { world in
      try await events.logging(on: terminal, world) { try await run(on: terminal, world, logging: $0) }
    }
  }

  private func run(on terminal: Terminal, _ world: World, logging events: Events) async throws -> Int32 {
    let chosen = format.chosen(on: terminal)
    let workspace = try await checks.workspace(try await Workspace(in: world), only: only)
    let out = try out.map { typed throws(Failure) in
      try ResultFile(typed, .plan, sparing: TakenFiles(workspace.project, in: world), in: world)
    }
    let report = try out?.output(beside: chosen, on: terminal) ?? terminal.out
    let planning = try await PlanRun(
      workspace, allowed.allowances, isChecking: checks.verify, only: workspace.addresses(named: only.map(\.text)))
    events.log(planning)
    // Programs get a single JSON document; on a terminal the plan is shown before the reason why it was not saved.
    if chosen == .json, let out { try save(planning, to: out, on: terminal) }
    try terminal.show(planning, as: chosen, to: report)
    if planning.workspace.store == nil, !terminal.isQuiet {
      let create = terminal.command("keyplan init")
      terminal.err.write(
        workspace.place.trust.isLost
          ? "The store that this machine used before no longer exists, so nothing can be applied. Restore a backup with "
            + "\(terminal.command("keyplan restore FILE")), or create a new store with \(create).\n"
          : "The store does not exist yet, so nothing can be applied. Create it with \(create).\n")
    }
    if chosen != .json, let out { try save(planning, to: out, on: terminal) }
    var changes: [ExitStatus] = []
    if detailedExitcode, !planning.plan.isEmpty {
      changes = [planning.plan.steps.allSatisfy(\.effect.needsPerson) ? .personNeeded : .changes]
    }
    return ExitStatus.worst(planning.statuses + changes).rawValue
  }

  /// Saves the plan, and reports its expiry and the command that applies it.
  private func save(_ planning: PlanRun, to file: ResultFile, on terminal: Terminal) throws {
    guard let (bytes, end) = try PlanFile.saved(planning, validFor: validFor?.interval) else { return }
    try file.write(bytes, on: terminal)
    guard !terminal.isQuiet, !file.isStream else { return }
    guard !planning.plan.isEmpty else {
      terminal.err.write("Saved \(file.shown): there is nothing to apply.\n")
      return
    }
    let count = Spans.count(planning.plan.steps.count, "step")
    // A file that was saved with an identity that can only plan is shown, and not applied.
    let operand =
      planning.isPlanOnly ? planning.id.map { "--expect \($0)" } ?? "" : ShellWord.quoted(file.shown)
    terminal.err.write(
      "Saved \(count) in \(file.shown), valid until \(terminal.style(for: terminal.err).time(end)).\n"
        + "Next: \(terminal.command("keyplan apply")) \(operand)\n")
  }
}

/// An address as a command-line argument, or the name of a key, a slot, a target or an account alone.
struct TypedSubject: ExpressibleByArgument, Sendable {
  let text: String

  init?(argument: String) {
    guard Address(argument) != nil || Identifier<Key>(argument) != nil else { return nil }
    text = argument
  }
}

/// An address as a command-line argument.
struct TypedAddress: ExpressibleByArgument, Sendable {
  let address: Address

  init?(argument: String) {
    guard let address = Address(argument) else { return nil }
    self.address = address
  }
}
