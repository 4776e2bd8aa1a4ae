internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Selects the event log of a run.
struct EventOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write events as JSON lines to a file, a FIFO or /dev/fd/3.", valueName: "file"))
  var events: String?

  /// Runs the work with its events; a failure that ends it early is an event too.
  func logging<Value>(
    on terminal: Terminal, _ world: World, _ work: (Events) async throws -> Value
  ) async throws -> Value {
    let file = try events.map { typed throws(Failure) in
      try ResultFile(typed, .events, sparing: TakenFiles(in: world), in: world)
    }
    let events = try Events(file, on: terminal)
    do {
      return try await work(events)
    } catch let rejected as Project.Rejected {
      rejected.project.reading.diagnostics.forEach { events.log(.diagnostic($0)) }
      throw rejected
    } catch let failure as Failure {
      events.log(.failure(summary: failure.summary, detail: failure.detail, hint: failure.hint))
      throw failure
    }
  }
}

/// The events of one run, each a line that is written when it happens. A file that cannot be written is reported once and
/// stops nothing.
struct Events: Sendable {
  private let sink: LineSink?
  private let terminal: Terminal

  /// Does nothing without a file.
  /// - Throws: `Failure` for a file that contains anything but events.
  init(_ file: ResultFile?, on terminal: Terminal) throws(Failure) {
    self.terminal = terminal
    do throws(LineSink.Refusal) {
      sink = try file.map { file throws(LineSink.Refusal) in
        try LineSink(file.path, replacing: ResultFile.Kind.events.isHeld)
      }
    } catch {
      sink = nil
      switch error {
      case .foreign: throw .foreign(file?.shown ?? "", .events)
      case .system: Self.warn("\(file?.path ?? ""): \(error).", on: terminal)
      }
    }
    log(.version(Keyplan.version))
  }

  /// Logs an event; may be called from any task.
  @Sendable func log(_ event: Event) {
    guard let sink, let line = try? event.line(at: World.now) else { return }
    if !sink.write(line) { Self.warn("The reader closed the stream, or the disk is full.", on: terminal) }
  }

  /// Logs a plan.
  func log(_ planning: PlanRun) {
    guard sink != nil else { return }
    let report = planning.report
    report.diagnostics.forEach { log(.diagnostic($0)) }
    report.reading.forEach { log(.plannedChange($0)) }
    log(.changeSummary(.plan, Tally(report.plan.steps).byAction))
  }

  /// Logs findings.
  func log(_ findings: [Finding], _ diagnostics: [Diagnostic]) {
    guard sink != nil else { return }
    diagnostics.forEach { log(.diagnostic($0)) }
    findings.forEach { log(.resourceDrift($0)) }
    log(.driftSummary(Dictionary(findings.map { ($0.level.rawValue, 1) }, uniquingKeysWith: +)))
  }

  /// Logs the summary of an apply.
  func log(_ outcome: Outcome) {
    log(.changeSummary(.apply, Tally(outcome.reports.filter { $0.result == .done }.map(\.step)).byAction))
  }

  private static func warn(_ detail: String, on terminal: Terminal) {
    TerminalConsole(terminal: terminal).warn(
      Warning("Events cannot be written", "\(detail) The command continues without them."))
  }
}
