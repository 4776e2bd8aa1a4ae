internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// What changed behind keyplan's back.
struct Drift: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "drift",
    abstract: "Tell what changed behind keyplan's back, and what expires. Changes nothing.",
    usage: "keyplan drift [<options>]",
    discussion: """
      Compares what is recorded with what is found; pending changes of the manifest are no drift. Made for cron: with \
      --quiet it says nothing when all is well. Exits with 2 if there are findings at or above --fail-on, \
      also if something else was unreachable.

      For example:
        keyplan drift --quiet --fail-on broken
        keyplan drift --write-baseline known.json --until 2027-03-01
        keyplan drift --baseline known.json --ignore target.legacy
        keyplan drift --quiet --unreachable-after 2h
      """
  )
  .parsedAlone

  @Option(help: ArgumentHelp("The least level of findings that counts.", valueName: "level"))
  var failOn: FindingLevel = .pending

  @OptionGroup var chosen: DriftOptions

  @OptionGroup var format: FormatOptions

  @OptionGroup var events: EventOptions

  @OptionGroup var report: ReportOptions

  func checkForm() throws(Failure) { try options.check(format.format) }

  func writesJSON(on terminal: Terminal) -> Bool { format.chosen(on: terminal) == .json }

  func run(on terminal: Terminal) async throws -> Int32 {
    try await format.annotating("drift", on: terminal) { world in
      try await events.logging(on: terminal, world) { try await run(on: terminal, world, logging: $0) }
    }
  }

  private func run(on terminal: Terminal, _ world: World, logging events: Events) async throws -> Int32 {
    let isForProgram = writesJSON(on: terminal)
    let filter = try chosen.filter(in: world)
    let workspace = try await Workspace(in: world)
    let baseline = try chosen.baselineFile(in: workspace)
    let format = format.chosen(on: terminal)
    let report = try baseline?.output(beside: format, on: terminal) ?? terminal.out
    let drift = try await DriftRun(workspace, filter, timeStyle: terminal.timeStyle)
    events.log(drift.findings, drift.diagnostics)
    // A program gets one document, of what became of all of it.
    if isForProgram { try chosen.writeBaseline(of: drift, to: baseline, on: terminal) }
    try terminal.show(drift, as: format, to: report)
    if !isForProgram { try chosen.writeBaseline(of: drift, to: baseline, on: terminal) }
    // Findings that were just written to a baseline do not count.
    let isFound = baseline == nil && drift.findings.contains { $0.level >= failOn.level }
    return ExitStatus.worst(drift.statuses + (isFound ? [.changes] : []), by: .drift).rawValue
  }
}

/// The levels as they are typed.
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
