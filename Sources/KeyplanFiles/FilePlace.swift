/// Where a file is that a manifest names, and which folder it may not leave.
package struct FilePlace: Hashable, Sendable {
  /// The absolute path, links not followed.
  package let path: String
  private let root: String?

  /// Nil where `~` stands for nothing.
  ///
  /// - Parameters:
  ///   - location: relative to `folder`, absolute, or below `~`.
  ///   - allowed: what was allowed outside of the folder: that is what is opened then. Inside nothing needs allowing, so no
  ///     link may lead out of it.
  ///   - home: what `~` stands for.
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

  /// The permission bits of the file, links followed; nil where there is none.
  package var mode: UInt32? { FileIdentity(path).flatMap { $0.kind == .regular ? $0.mode : nil } }

  /// Replaces the file, if it still holds what it held; nil for no file.
  /// - Parameter mode: nil for that of the file that is replaced.
  package func replace(with bytes: [UInt8], expecting old: [UInt8]?, mode: UInt32? = nil) throws(FileError) {
    try AtomicFile.replace(path, with: bytes, expecting: old, mode: mode, within: root)
  }

  /// Throws what is in the way of replacing the file, as far as that shows without writing.
  package func requireReplaceable() throws(FileError) { try AtomicFile.requireReplaceable(path, within: root) }

  /// Takes the file away, if it still holds what it held.
  package func remove(expecting old: [UInt8]) throws(FileError) {
    try AtomicFile.remove(path, expecting: old, within: root)
  }
}
