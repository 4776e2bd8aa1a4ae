internal import KeyplanModel
package import KeyplanReporting
internal import KeyplanStore

/// The configuration that `--setup` prints.
package enum HelperSetup {
  /// The command line of a helper with this project's manifest and environment.
  /// - Parameter own: the helper's name, and its own arguments.
  package static func line(_ own: [String], in world: World) throws(Failure) -> HelperLine {
    let manifest = Project.resolved(try Project.find(in: world))
    guard world.fileExists(manifest) else {
      throw Failure(
        .failed, "No manifest", "There is no \(manifest).", hint: "Name the manifest with --manifest FILE.")
    }
    var words = [program(in: world), "helper"] + own + ["--manifest", manifest]
    if let environment = world.settings.environment {
      words += ["-e", environment]
    } else {
      let overlays = Project.overlays(of: manifest, in: world)
      guard overlays.isEmpty else {
        throw EnvironmentChoice.missing(
          among: overlays, of: Project.relative(manifest, to: world.directory), in: Project.parent(of: manifest),
          isTrusted: false, of: world)
      }
    }
    if let store = world.settings.storeArgument {
      words += ["--store", PostgresAddress.isAddress(store) ? store : world.absolute(store)]
    }
    if let identity = world.settings.identity { words += ["--identity", world.absolute(identity)] }
    return try HelperLine(words)
  }

  /// As the shell finds it, and not where links lead: an update may replace that. Programs that are started from a desktop have
  /// another PATH.
  private static func program(in world: World) -> String { installedProgram(in: world) ?? "keyplan" }

  /// The keyplan that PATH finds; nil if it finds none.
  static func installedProgram(in world: World) -> String? {
    let folders = world.variable("PATH")?.split(separator: ":").map(String.init) ?? []
    return folders.map { $0 + "/keyplan" }.first { $0.hasPrefix("/") && world.fileExists($0) }
  }
}
