/// The location of a file that a manifest names, and the folder that it must not leave.
package struct FilePlace: Hashable, Sendable {
  /// The absolute path, links not followed.
  package let path: String
  private let root: String?

  /// Nil if the path begins with `~` and there is no home directory.
  ///
  /// - Parameters:
  ///   - location: relative to `folder`, absolute, or below `~`.
  ///   - allowed: the recorded path of an allowed file outside of the folder, which is then used instead of `location`.
  ///     A file inside the folder needs no permission, so no link may lead out of it.
  ///   - home: the home directory, for `~`.
  package init?(_ location: String, allowed: String?, in folder: String, home: String?) {
    let written = allowed ?? location
    if written == "~" || written.hasPrefix("~/") {
      guard let home else { return nil }
      path = home + written.dropFirst()
    } else {
      path = written.hasPrefix("/") ? written : folder + "/" + written
    }
    root = allowed == nil ? folder : nil
  }

  /// The bytes of a regular file.
  package func read(limit: Int) throws(FileError) -> [UInt8] { try SafeFile.read(path, limit: limit, within: root) }

  /// The permission bits of the file, links followed; nil if it is missing or not a regular file.
  package var mode: UInt32? { FileIdentity(path).flatMap { $0.kind == .regular ? $0.mode : nil } }

  /// Replaces the file if it still has its previous content; nil means that it does not exist.
  /// - Parameter mode: the file's new mode; nil to keep that of an existing file.
  package func replace(with bytes: [UInt8], expecting old: [UInt8]?, mode: UInt32? = nil) throws(FileError) {
    try AtomicFile.replace(path, with: bytes, expecting: old, isShared: true, mode: mode, within: root)
  }

  /// Throws the reason that the file cannot be replaced, as far as it can be determined without writing.
  package func requireReplaceable() throws(FileError) { try AtomicFile.requireReplaceable(path, within: root) }

  /// Removes a temporary file of a killed process beside the file. Errors are ignored: the next write reports them.
  package func removeLeftOver() { try? AtomicFile.removeLeftOver(of: path, within: root) }

  /// Deletes the file if it still has its previous content.
  package func remove(expecting old: [UInt8]) throws(FileError) {
    try AtomicFile.remove(path, expecting: old, isShared: true, within: root)
  }
}
