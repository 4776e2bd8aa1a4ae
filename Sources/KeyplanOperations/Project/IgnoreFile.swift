internal import KeyplanFiles
package import KeyplanReporting

/// A `.gitignore` to which `init` may add lines.
package enum IgnoreFile {
  /// Asks for confirmation to add lines to a file, and adds them.
  /// - Returns: the result, as one line; nil if the user declined.
  package static func offer(_ lines: [String], to path: String, in world: World) throws(Failure) -> String? {
    let shown = Project.relative(path, to: world.directory)
    // git does not follow it, and the lines would change the file to which a branch lets it lead.
    do throws(FileError) {
      try FileIdentity.requireNoLink(path)
    } catch {
      throw Failure(error, "\(shown) was not changed")
    }
    let those = lines.count == 1 ? "this line" : "these lines"
    world.console.show("\nKeep the values out of git by adding \(those) to \(shown)?\n\n")
    world.console.show(lines.map { "  \($0)\n" }.joined() + "\n")
    do throws(Failure) {
      guard try world.console.confirm("Add \(those)?") else { return nil }
    } catch {
      throw Failure(error.status, error.summary, "\(shown) was not changed. Everything else is done.")
    }
    do throws(FileError) {
      let old = try content(path)
      var bytes = old ?? []
      if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
      bytes += lines.flatMap { Array(($0 + "\n").utf8) }
      try AtomicFile.replace(path, with: bytes, expecting: old, isShared: true, within: Project.parent(of: path))
      if old == nil { world.publish(path) }
    } catch {
      throw Failure(error, "\(shown) was not changed")
    }
    return "added  \(lines.count == 1 ? "a line" : "\(lines.count) lines") to \(shown)"
  }

  /// Nil if there is no file.
  private static func content(_ path: String) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try SafeFile.read(path, limit: 1 << 20, within: Project.parent(of: path))
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
