internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// The environment selected for a command.
package enum EnvironmentChoice {
  /// The manifest alone, and the store that it had before there was an overlay.
  case alone
  /// The overlay of this name, which may not be there.
  case overlay(String)

  /// The name that chooses the manifest alone, unless there is an overlay of this name.
  package static let nameOfAlone = "default"

  package init(_ name: String, among overlays: [String]) {
    self = name == Self.nameOfAlone && !overlays.contains(name) ? .alone : .overlay(name)
  }

  /// The choice for this command; nil for none.
  package init?(in world: World, among overlays: @autoclosure () -> [String]) {
    guard let name = world.settings.environment else { return nil }
    self = name == Self.nameOfAlone ? EnvironmentChoice(name, among: overlays()) : .overlay(name)
  }

  /// The environment's name; nil for the one without.
  package var name: String? {
    switch self {
    case .alone: nil
    case .overlay(let name): name
    }
  }
}

extension EnvironmentChoice {
  /// A line for the manifest that sets the default environment to the one used so far, if any.
  package static func line(for overlay: String, in folder: String, of world: World) -> String {
    "defaultEnvironment: \(hasStoreAlone(in: folder, of: world) ? nameOfAlone : overlay)"
  }

  /// There are overlays, and none was selected.
  package static func missing(
    among overlays: [String], of manifest: String, in folder: String, isTrusted: Bool, of world: World
  ) -> Failure {
    let names = overlays.joined(separator: ", ")
    let hasStoreAlone = hasStoreAlone(in: folder, of: world)
    let first = hasStoreAlone ? nameOfAlone : proposed(among: overlays)
    guard isTrusted else {
      return Failure(
        .usage, "No environment chosen",
        "\(manifest) has \(overlays.count == 1 ? "an overlay" : "overlays") for \(names). In an untrusted checkout, the "
          + "manifest's `defaultEnvironment` is not used.",
        hint: "Set KEYPLAN_ENVIRONMENT or -e in the job.")
    }
    return Failure(
      .usage, "No environment chosen",
      "\(manifest) has \(overlays.count == 1 ? "an overlay" : "overlays") for \(names), so each command needs an environment"
        + (hasStoreAlone ? ": \(names), or \(nameOfAlone) for the manifest alone, as before." : "."),
      hint: first.map {
        "Pass `-e \($0)`, set KEYPLAN_ENVIRONMENT, or set the default in \(manifest) with the "
          + "line `\(line(for: $0, in: folder, of: world))`."
      } ?? "Pass `-e \(overlays.first ?? nameOfAlone)` if you mean it, or set KEYPLAN_ENVIRONMENT.")
  }

  /// An environment in which a mistake does little harm; nil if there is none.
  private static func proposed(among overlays: [String]) -> String? {
    let harmless = ["local", "dev", "development", "test", "ci", "staging", "stage"]
    return harmless.first(where: overlays.contains) ?? overlays.first { !isProduction($0) }
  }

  private static func isProduction(_ name: String) -> Bool {
    name.split(whereSeparator: { "-_.".contains($0) }).contains { part in
      part.hasPrefix("prod") || part == "prd" || part == "live"
    }
  }

  /// Whether the manifest alone has a store.
  package static func hasStoreAlone(in folder: String, of world: World) -> Bool {
    let pin = try? PinFile(in: folder, of: world).pin(for: nil)
    return pin != nil || world.fileExists(folder + "/.keyplan/default.db")
  }

  /// The error that there is no such overlay.
  package static func unknown(_ name: String, among overlays: [String], of path: String, in world: World) -> Failure {
    guard Identifier<Project>(name) != nil else {
      return Failure(.usage, "Invalid environment name", Failure.nameRule("An environment"))
    }
    let file = Project.relative(Project.overlayPath(of: path, name), to: world.directory)
    return Failure(
      .usage, "Environment not found", "There is no \(file).",
      hint: Suggestion.nearest(to: name, among: overlays).map { "Did you mean \($0)?" }
        ?? "Create that file to add the environment. It contains the differences from the manifest.")
  }
}
