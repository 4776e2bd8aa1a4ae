internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanOperations
internal import KeyplanReporting

/// Checks the manifest.
struct Validate: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the manifest without using the store, the network or any secret.",
    usage: "keyplan validate [<options>]",
    discussion: """
      Safe for pull requests from forks: reads the manifest, its overlay and git's index, but no source, target or \
      store.

      For example:
        keyplan validate --environment staging
      """
  )
  .parsedAlone

  @OptionGroup var format: FormatOptions

  @OptionGroup var report: ReportOptions

  func checkForm() throws(Failure) { try options.check(format.format) }

  func writesJSON(on terminal: Terminal) -> Bool { format.chosen(on: terminal) == .json }

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let project = try Project(in: world)
    try terminal.show(project, as: format.chosen(on: terminal), in: world)
    guard let manifest = project.reading.manifest else { return ExitStatus.failed.rawValue }
    return (manifest.brokenRules.isEmpty ? ExitStatus.done : .refused).rawValue
  }
}
