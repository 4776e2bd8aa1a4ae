package import KeyplanFiles

/// The manifest's schema as a file next to the manifest, where editors find it without a network. It is this program's own, so a newer
/// version replaces it.
package enum EditorSchema {
  private static let name = "keyplan.schema.json"

  /// The first line of a manifest, which names the schema for YAML language servers.
  package static let modeline = "# yaml-language-server: $schema=.keyplan/\(name)"

  /// Writes the file unless it is there as it should be. A manifest is as good without it, so a failure is a warning.
  /// - Parameter folder: that of the manifest.
  package static func write(in folder: String, of world: World) {
    guard let schema = EmbeddedSchema(argument: "manifest") else { return }
    let path = folder + "/.keyplan/" + name
    let bytes = Array(schema.bytes)
    do throws(FileError) {
      // A branch may have put a link there, to the store or to a file of git.
      try FileIdentity.requireNoLink(path)
      if let found = try? SafeFile.read(path, limit: bytes.count, within: folder), found == bytes { return }
      // Also where an earlier run made the folder and was killed before its .gitignore.
      try ProjectDirectory.ensure(folder + "/.keyplan", in: world)
      try AtomicFile.replace(path, with: bytes, within: folder)
    } catch {
      world.console.warn(Warning("Editor schema not written", "\(error).", hint: error.hint))
    }
  }
}

/// `.keyplan/`, which git ignores.
package enum ProjectDirectory {
  /// Creates a directory for keyplan's own files, with a `.gitignore` in `.keyplan`.
  package static func ensure(_ folder: String, in world: World) throws(FileError) {
    try PrivateDirectory.ensure(folder)
    if folder.hasSuffix("/.keyplan"), !world.fileExists(folder + "/.gitignore") {
      try PrivateFile.create(folder + "/.gitignore", Array("*\n".utf8))
    }
  }
}
