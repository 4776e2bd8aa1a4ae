internal import ArgumentParser
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
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
        keyplan validate --all-environments
      """
  )
  .parsedAlone

  @Flag(help: "Check every environment that has an overlay, and the manifest alone if it has a store.")
  var allEnvironments = false

  @OptionGroup var format: FormatOptions

  @OptionGroup var report: ReportOptions

  func validate() throws {
    guard allEnvironments, options.common.environment != nil else { return }
    throw ValidationError("--all-environments and --environment cannot be combined.")
  }

  func checkForm() throws(Failure) { try options.check(format.format) }

  func writesJSON(on terminal: Terminal) -> Bool { format.chosen(on: terminal) == .json }

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let projects: [Project]
    var hasSharedPlaces = false
    if allEnvironments {
      let every = try EveryEnvironment(in: world)
      try terminal.show(every, as: format.chosen(on: terminal), in: world)
      projects = every.projects
      hasSharedPlaces = every.hasSharedPlaces
    } else {
      projects = [try Project(in: world)]
      try terminal.show(projects[0], as: format.chosen(on: terminal), in: world)
    }
    let statuses = projects.map { project -> ExitStatus in
      guard let manifest = project.reading.manifest, project.futureDates.isEmpty else { return .failed }
      return manifest.brokenRules.isEmpty ? .done : .refused
    }
    return (hasSharedPlaces || statuses.contains(.failed) ? .failed : ExitStatus.worst(statuses)).rawValue
  }
}
