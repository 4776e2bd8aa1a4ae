#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The path to which another path leads after every symbolic link is followed, whether or not all of it exists.
///
/// Unlike `realpath`, it accepts the path of a file that does not exist yet, and it lists the links that it followed.
package struct ResolvedPath: Hashable, Sendable {
  /// Absolute, without links, `.` or `..`. Components after the first missing one are taken as written.
  package let path: String
  /// The symbolic links that were followed, in order, each by its own resolved path.
  package let links: [String]

  /// The limit of Linux.
  private static let maximumLinks = 40

  /// - Parameter path: absolute, or relative to the working directory.
  /// - Throws: ``FileError`` if a component cannot be inspected, or links form a loop.
  package init(_ path: String) throws(FileError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw FileError(.invalidPath, path) }
    var pending = Self.components(path)
    var resolved = path.hasPrefix("/") ? "" : try Self.workingDirectory(path)
    var links: [String] = []
    var isMissing = false
    while let component = pending.popLast() {
      if component == "." { continue }
      if component == ".." {
        resolved = Self.parent(of: resolved)
        continue
      }
      let next = resolved + "/" + component
      let status = isMissing ? nil : try Self.status(of: next, path)
      if status == nil { isMissing = true }
      guard status?.kind == .symlink else {
        resolved = next
        continue
      }
      guard links.count < Self.maximumLinks else { throw FileError(.brokenLink, path) }
      links.append(next)
      let destination = try Self.destination(of: next, path)
      pending += Self.components(destination)
      if destination.hasPrefix("/") { resolved = "" }
    }
    self.path = resolved.isEmpty ? "/" : resolved
    self.links = links
  }

  /// Whether the path is the directory or inside it. Both are resolved paths.
  package static func isWithin(_ path: String, _ directory: String) -> Bool {
    directory == "/" || path == directory || path.utf8.starts(with: (directory + "/").utf8)
  }

  /// The last component first.
  private static func components(_ path: String) -> [String] { path.split(separator: "/").reversed().map(String.init) }

  /// The parent of `/a` is empty, as is that of the root.
  static func parent(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
  }

  private static func workingDirectory(_ path: String) throws(FileError) -> String {
    guard let found = getcwd(nil, 0) else { throw FileError(Status.code(for: errno), path) }
    defer { free(found) }
    let directory = String(cString: found)
    return directory == "/" ? "" : directory
  }

  /// Nil if the file does not exist or one of its parents is not a directory.
  private static func status(of name: String, _ path: String) throws(FileError) -> Status? {
    do throws(FileError) {
      return try Status.ofName(name, path: path)
    } catch {
      guard error.code == .notDirectory else { throw error }
      return nil
    }
  }

  private static func destination(of link: String, _ path: String) throws(FileError) -> String {
    var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try retrying(path) { readlink(link, &characters, Int(PATH_MAX)) }
    return String(decoding: characters[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
