internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanOperations
internal import KeyplanReporting

/// In which form a report is written.
struct FormatOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How to write it; github annotates the manifest's lines, appends to the job's summary, and sets outputs.",
      valueName: "format"))
  var format: ReportFormat?

  func chosen(on terminal: Terminal) -> ReportFormat { format ?? (terminal.isJSON ? .json : .text) }

  /// Runs the work. A manifest with errors ends it early; for GitHub the errors become annotations as well.
  func annotating<Value>(
    _ command: String, on terminal: Terminal, _ work: (World) async throws -> Value
  ) async throws -> Value {
    let world = try terminal.world()
    do {
      return try await work(world)
    } catch let rejected as Project.Rejected where chosen(on: terminal) == .github {
      let project = rejected.project
      try terminal.show(project, as: .github, of: command, in: world)
      throw Failure(.failed, "Manifest has errors", "They are annotated in \(project.shown).")
    }
  }
}

extension ReportFormat: ExpressibleByArgument {}
