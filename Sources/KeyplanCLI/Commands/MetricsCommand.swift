internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Writes the state of a project for Prometheus.
struct MetricsCommand: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics",
    abstract: "Write expirations, drift and account states as Prometheus metrics. Read-only.",
    usage: "keyplan metrics [<options>]",
    discussion: """
      Checks what drift checks. The file is for the textfile collector of Prometheus' node exporter: it is replaced \
      as a whole, and others may read it. Exits with 0 if the metrics were written, whatever they say.

      For example:
        keyplan metrics --out /var/lib/prometheus/node-exporter/keyplan.prom
      """
  )
  .parsedAlone

  @Option(
    help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"), completion: .file())
  var out: String?

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let file = try out.map { typed throws(Failure) in
      try ResultFile(typed, .metrics, sparing: TakenFiles(workspace.project, in: world), in: world)
    }
    let metrics = MetricsText.render(try await InventoryRun(workspace).report, version: Keyplan.version)
    guard let file else {
      terminal.out.write(metrics)
      return ExitStatus.done.rawValue
    }
    let isNew = !world.fileExists(file.path)
    try file.write(Array(metrics.utf8), on: terminal)
    if isNew, !file.isStream { world.publish(file.path) }
    return ExitStatus.done.rawValue
  }
}
