internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanReporting

/// The manifest alone.
struct Validate: Command {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the manifest alone: no store, no network, no secrets needed.",
    usage: "keyplan validate [<options>]",
    discussion: """
      Safe for pull requests from forks: opens the manifest, its overlay and git's index, but no source, target or store.

      For example:
        keyplan validate --environment staging
      """
  )
  .parsedAlone

  @OptionGroup var format: FormatOptions

  @OptionGroup var options: GlobalOptions

  func checkForm() throws(Failure) { try options.check(format.format) }

  func writesJSON(in world: World) -> Bool { format.chosen(options, in: world) == .json }

  func run(in world: World) async throws -> Int32 {
    let project = try Project(options, in: world)
    try ManifestText.tell(project, options, as: format.chosen(options, in: world), in: world, to: world.out)
    guard let manifest = project.reading.manifest else { return ExitStatus.failed.rawValue }
    return (manifest.brokenRules.isEmpty ? ExitStatus.done : .refused).rawValue
  }
}
