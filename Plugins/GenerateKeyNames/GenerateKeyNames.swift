import Foundation
import PackagePlugin

/// Compiles the names of a manifest into a target, with the types of `KeyplanReader`: a key that the manifest does not declare does
/// not compile.
///
/// The manifest is `keyplan.yaml` in the target's folder, otherwise in the package's.
@main
struct GenerateKeyNames: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    let folders = [target.directoryURL, context.package.directoryURL]
    guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: Self.manifest(in: $0).path) })
    else {
      Diagnostics.error("\(target.name): no keyplan.yaml in \(folders.map(\.path).joined(separator: " or "))")
      return []
    }
    let output = context.pluginWorkDirectoryURL.appending(path: "KeyNames.swift")
    return [
      .buildCommand(
        displayName: "Generating the names of keys for \(target.name)",
        executable: try context.tool(named: "keyplan").url,
        arguments: [
          "generate", "swift", "--manifest", Self.manifest(in: folder).path, "--out", output.path, "--color", "never",
        ],
        inputFiles: [Self.manifest(in: folder)] + Self.overlays(in: folder), outputFiles: [output])
    ]
  }

  private static func manifest(in folder: URL) -> URL { folder.appending(path: "keyplan.yaml") }

  /// An environment can be chosen with KEYPLAN_ENVIRONMENT.
  private static func overlays(in folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix("keyplan.") && $0.hasSuffix(".yaml") && $0 != "keyplan.yaml" }.sorted()
      .map { folder.appending(path: $0) }
  }
}
