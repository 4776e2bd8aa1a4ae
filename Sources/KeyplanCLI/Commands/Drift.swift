internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Reports drift.
struct Drift: EnvironmentsCommand {
  static let configuration = CommandConfiguration(
    commandName: "drift",
    abstract: "Report drift and upcoming expirations.",
    usage: "keyplan drift [<options>]",
    discussion: """
      Compares the recorded state with sources and targets; pending changes of the manifest are not drift. The store \
      is only read, unless providers are asked: with --verify, or when `verify` in the manifest says so. For \
      cron, --quiet prints nothing if there are no findings. Exits with 2 if there are findings at or above \
      --fail-on, even if something else was unreachable.

      For example:
        keyplan drift --quiet --fail-on broken
        keyplan drift --write-baseline known.json --until 2027-03-01
        keyplan drift --baseline known.json --ignore target.legacy
        keyplan drift --quiet --unreachable-after 2h
      """
  )
  .parsedAlone

  @Option(help: ArgumentHelp("The lowest level of findings that counts.", valueName: "level"))
  var failOn: FindingLevel = .pending

  @OptionGroup var chosen: DriftOptions

  @Flag(help: "Ask providers about the recorded keys first, and record what they say.")
  var verify = false

  @Flag(help: "Look at every environment that has an overlay, and at the manifest alone if it has a store.")
  var allEnvironments = false

  @OptionGroup var format: FormatOptions

  @OptionGroup var events: EventOptions

  @OptionGroup var report: ReportOptions

  func checkForm() throws(Failure) {
    try options.check(format.format)
    try checkEnvironments(format.format ?? .text)
  }

  var optionsOfOne: [String] {
    (chosen.baseline == nil ? [] : ["--baseline"]) + (chosen.writeBaseline == nil ? [] : ["--write-baseline"])
      + (chosen.ignore.isEmpty ? [] : ["--ignore"]) + (events.events == nil ? [] : ["--events"])
  }

  func writesJSON(on terminal: Terminal) -> Bool { format.chosen(on: terminal) == .json }

  func run(on terminal: Terminal) async throws -> Int32 {
    if allEnvironments { return try await runInAll(by: .drift, on: terminal) }
    return try await format.annotating("drift", on: terminal) { world in
      try await events.logging(on: terminal, world) { try await run(on: terminal, world, logging: $0) }
    }
  }

  private func run(on terminal: Terminal, _ world: World, logging events: Events) async throws -> Int32 {
    let isForProgram = writesJSON(on: terminal)
    let filter = try chosen.filter(in: world)
    let read = try await Workspace(in: world)
    let workspace = try await verify ? read.verified(warns: false) : read.verifiedIfDue()
    let baseline = try chosen.baselineFile(in: workspace)
    let format = format.chosen(on: terminal)
    let report = try baseline?.output(beside: format, on: terminal) ?? terminal.out
    let drift = try await DriftRun(workspace, filter, timeStyle: terminal.timeStyle)
    events.log(drift.findings, drift.diagnostics)
    // Programs get a single JSON document with the complete result.
    if isForProgram { try chosen.writeBaseline(of: drift, to: baseline, on: terminal) }
    try terminal.show(drift, as: format, to: report, failingFrom: failOn.level)
    if !isForProgram {
      try chosen.writeBaseline(of: drift, to: baseline, on: terminal)
      if format == .text, !terminal.isQuiet, let line = chosen.written(of: drift) { report.write(line) }
    }
    // Findings that were just written to a baseline do not count.
    let isFound = baseline == nil && drift.findings.contains { $0.level >= failOn.level }
    return ExitStatus.worst(drift.statuses + (isFound ? [.changes] : []), by: .drift).rawValue
  }
}

/// The levels as command-line arguments.
enum FindingLevel: String, ExpressibleByArgument, CaseIterable, Sendable {
  case broken, pending, soon

  var level: Finding.Level {
    switch self {
    case .broken: .broken
    case .pending: .pending
    case .soon: .soon
    }
  }
}
