#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Creates directories to which only this user has access.
package enum PrivateDirectory {
  /// Creates the directory and its missing parents with mode 0700 whatever the umask.
  ///
  /// An existing directory is never changed, since other programs may use it; it is refused unless only this user has
  /// access (``FileError/hint`` is then the `chmod` to run). Existing parents are not checked.
  package static func ensure(_ path: String) throws(FileError) {
    var trimmed = path[...]
    while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
    let path = String(trimmed)
    try make(path)
    guard let found = try Status.ofName(path, path: path) else { throw FileError(.notFound, path) }
    guard found.kind != .symlink else { throw FileError(.symlink, path) }
    guard found.kind == .directory else { throw FileError(.notDirectory, path) }
    try found.requirePrivate(path)
  }

  private static func make(_ path: String) throws(FileError) {
    guard try Status.ofName(path, path: path) == nil else { return }
    if let above = parent(of: path) { try make(above) }
    do throws(FileError) {
      try retrying(path) { mkdir(path, 0o700) }
    } catch {
      // Another process created it first.
      guard error.code == .exists else { throw error }
      return
    }
    try retrying(path) { chmod(path, 0o700) }
    try synchronize(above: path)
  }

  static func synchronize(above path: String) throws(FileError) {
    let above = parent(of: path) ?? "."
    try Descriptor(opening: above, O_RDONLY | O_DIRECTORY, path: above).synchronize(above)
  }

  private static func parent(of path: String) -> String? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
