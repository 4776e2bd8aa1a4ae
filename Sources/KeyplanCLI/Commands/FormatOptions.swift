internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanReporting

/// In which form a report is written.
struct FormatOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How to write it; github annotates the manifest's lines, appends to the job's summary, and sets outputs.",
      valueName: "format"))
  var format: ReportFormat?

  func chosen(_ options: GlobalOptions, in world: World) -> ReportFormat {
    format ?? (options.isJSON(in: world) ? .json : .text)
  }

  /// Runs the work. A manifest with errors ends it early, and for GitHub these are annotations as well.
  func annotating<Value>(
    _ command: String, _ options: GlobalOptions, in world: World, _ work: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await work()
    } catch let rejected as Project.Rejected where chosen(options, in: world) == .github {
      let project = rejected.project
      GitHub(world: world).tell(
        project.reading.diagnostics, of: command, environment: project.environment)
      throw Failure(.failed, "Manifest has errors", "They are annotated in \(project.shown).")
    }
  }
}

/// The forms of a report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text, json, markdown, github
}
