internal import KeyplanFiles
internal import KeyplanReporting

/// A `.gitignore` that `init` may add to.
enum IgnoreFile {
  /// Asks whether lines may be added to a file, and adds them.
  static func offer(_ lines: [String], to path: String, in world: World) throws(Failure) {
    let shown = Project.relative(path, to: world.directory)
    let those = lines.count == 1 ? "this line" : "these lines"
    world.err.write("\nKeep the values out of git with \(those) in \(shown)?\n\n")
    world.err.write(lines.map { "  \($0)\n" }.joined() + "\n")
    do throws(Failure) {
      guard try Prompt.confirms("Add \(those)? Type `yes` to confirm: ") else { return }
    } catch {
      throw Failure(error.status, error.summary, "\(shown) was not changed. All else is done.")
    }
    do throws(FileError) {
      let old = try content(path)
      var bytes = old ?? []
      if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
      bytes += lines.flatMap { Array(($0 + "\n").utf8) }
      try AtomicFile.replace(path, with: bytes, expecting: old, within: Project.parent(of: path))
      if old == nil { world.publish(path) }
    } catch {
      throw Failure(error, "\(shown) was not changed")
    }
    world.out.write("  added  \(lines.count == 1 ? "a line" : "\(lines.count) lines") to \(shown)\n")
  }

  /// Nil where there is no file.
  private static func content(_ path: String) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try SafeFile.read(path, limit: 1 << 20, within: Project.parent(of: path))
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
