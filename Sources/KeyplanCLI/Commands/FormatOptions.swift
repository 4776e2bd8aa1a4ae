internal import ArgumentParser
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Selects the format of a report.
struct FormatOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Output format; github writes text, annotates the manifest's lines, appends to the job summary, and sets outputs; sarif and junit are for code scanning and test reports.",
      valueName: "format"))
  var format: ReportFormat?

  func chosen(on terminal: Terminal) -> ReportFormat { format ?? (terminal.isJSON ? .json : .text) }

  /// Runs the work. Errors in the manifest end it early; for GitHub they also become annotations.
  func annotating<Value>(
    _ command: String, on terminal: Terminal, _ work: (World) async throws -> Value
  ) async throws -> Value {
    let world = try terminal.world()
    do {
      return try await work(world)
    } catch let rejected as Project.Rejected where chosen(on: terminal) == .github {
      let project = rejected.project
      try terminal.show(project, as: .github, of: command, in: world)
      throw Failure(.failed, "Manifest has errors", "See the annotations in \(project.shown).")
    } catch let rejected as Project.Rejected where [.sarif, .junit].contains(chosen(on: terminal)) {
      try terminal.show(rejected.project, as: chosen(on: terminal), of: command, in: world)
      throw rejected
    }
  }
}

extension ReportFormat: ExpressibleByArgument {}
