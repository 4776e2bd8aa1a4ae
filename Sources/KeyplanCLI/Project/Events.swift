internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanReporting

/// Where a run is told to programs, beside the text for people.
struct EventOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write what happens, as it happens, as lines of JSON; a file, a FIFO or /dev/fd/3.", valueName: "file"))
  var events: String?

  /// Runs the work with its events; why it ended early is an event too.
  func telling<Value>(
    _ options: GlobalOptions, in world: World, _ work: (Events) async throws -> Value
  ) async throws -> Value {
    let file = try events.map { typed throws(Failure) in
      try ResultFile(typed, .events, sparing: TakenFiles(options, in: world), in: world)
    }
    let events = try Events(file, in: world)
    do {
      return try await work(events)
    } catch let rejected as Project.Rejected {
      rejected.project.reading.diagnostics.forEach { events.tell(.diagnostic($0)) }
      throw rejected
    } catch let failure as Failure {
      events.tell(.failure(summary: failure.summary, detail: failure.detail, hint: failure.hint))
      throw failure
    }
  }
}

/// The events of one run, each a line that is written when it happens. A file that cannot be written is said once and
/// stops nothing.
struct Events: Sendable {
  private let sink: LineSink?
  private let world: World

  /// Goes nowhere without a file.
  /// - Throws: `Failure` for a file that holds something else than events.
  init(_ file: ResultFile?, in world: World) throws(Failure) {
    self.world = world
    do throws(LineSink.Refusal) {
      sink = try file.map { file throws(LineSink.Refusal) in
        try LineSink(file.path, replacing: ResultFile.Kind.events.isHeld)
      }
    } catch {
      sink = nil
      switch error {
      case .foreign: throw .foreign(file?.shown ?? "", .events)
      case .system: Self.warn("\(file?.path ?? ""): \(error).", in: world)
      }
    }
    tell(.version(Keyplan.version))
  }

  /// Hears of something, from any task.
  @Sendable func tell(_ event: Event) {
    guard let sink, let line = try? event.line(at: world.now) else { return }
    if !sink.write(line) { Self.warn("Their reader is gone, or their file takes no more.", in: world) }
  }

  /// Hears of what is planned.
  func tell(_ planning: PlanRun) {
    guard sink != nil else { return }
    let report = planning.report
    report.diagnostics.forEach { tell(.diagnostic($0)) }
    report.reading.forEach { tell(.plannedChange($0)) }
    tell(.changeSummary(.plan, Tally(report.plan.steps).byAction))
  }

  /// Hears of what was found.
  func tell(_ findings: [Finding], _ diagnostics: [Diagnostic]) {
    guard sink != nil else { return }
    diagnostics.forEach { tell(.diagnostic($0)) }
    findings.forEach { tell(.resourceDrift($0)) }
    tell(.driftSummary(Dictionary(findings.map { ($0.level.rawValue, 1) }, uniquingKeysWith: +)))
  }

  /// Hears of what was done in all.
  func tell(_ outcome: Outcome) {
    tell(.changeSummary(.apply, Tally(outcome.reports.filter { $0.result == .done }.map(\.step)).byAction))
  }

  private static func warn(_ detail: String, in world: World) {
    world.err.write("warning: Events cannot be written\n  \(detail) Everything else goes on.\n")
  }
}
