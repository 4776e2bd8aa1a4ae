internal import ArgumentParser
internal import KeyplanCore
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

  func writesJSON(in world: World) -> Bool { format.chosen(options, in: world) == .json }

  func run(in world: World) async throws -> Int32 {
    try await format.annotating("drift", options, in: world) {
      try await events.telling(options, in: world) { try await run(in: world, telling: $0) }
    }
  }

  private func run(in world: World, telling events: Events) async throws -> Int32 {
    let isForProgram = writesJSON(in: world)
    let filter = try chosen.filter(in: world)
    let workspace = try await Workspace(options, in: world)
    let baseline = try chosen.baselineFile(in: workspace)
    let report = try baseline?.output(beside: format.chosen(options, in: world), in: world) ?? world.out
    let drifting = try await DriftRun(workspace, filter)
    events.tell(drifting.findings, drifting.diagnostics)
    // A program gets one document, of what became of all of it.
    if isForProgram { try chosen.writeBaseline(of: drifting, to: baseline) }
    try drifting.show(as: format.chosen(options, in: world), to: report)
    if !isForProgram { try chosen.writeBaseline(of: drifting, to: baseline) }
    // What a baseline takes in is known.
    let isFound = baseline == nil && drifting.findings.contains { $0.level >= failOn.level }
    return ExitStatus.worst(drifting.statuses + (isFound ? [.changes] : []), by: .drift).rawValue
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
