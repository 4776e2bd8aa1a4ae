#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file's real location, with every symbolic link followed: its directory, held open, and its name in that directory.
///
/// Prevents races between check and use: the directory is opened from `/` step by step without following links, so that
/// a link swapped in after the check causes an error.
struct ResolvedFile: ~Copyable {
  let directory: Descriptor
  let directoryPath: String
  let name: String
  /// The status of the existing file; `nil` if it does not exist.
  let status: Status?

  /// - Parameter root: the directory that must contain the file after links are followed.
  init(of path: String, within root: String?) throws(FileError) {
    let (real, name) = try ResolvedFile.resolve(path)
    if let root {
      let tree = try ResolvedFile.real(root, path: root)
      guard ResolvedFile.isWithin(real, tree) else { throw FileError(.outsideTree(root: root), path) }
    }
    let directory = try ResolvedFile.walk(to: real, path: path)
    status = try Status.ofName(name, in: directory.number, path: path)
    self.directory = directory
    directoryPath = real
    self.name = name
  }

  private static func resolve(_ path: String) throws(FileError) -> (directory: String, name: String) {
    var found = try Status.ofName(path, path: path)
    var (directory, name) = split(path)
    if found?.kind == .symlink {
      do throws(FileError) {
        (directory, name) = split(try real(path, path: path))
        found = nil
      } catch {
        throw error.code == .notFound ? FileError(.brokenLink, path) : error
      }
    }
    guard found?.kind != .directory, !["", ".", ".."].contains(name) else { throw FileError(.isDirectory, path) }
    return (try real(directory, path: directory), name)
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    return (directory, String(path[path.utf8.index(after: slash)...]))
  }

  private static func real(_ name: String, path: String) throws(FileError) -> String {
    guard !name.isEmpty, !name.utf8.contains(0) else { throw FileError(.invalidPath, path) }
    guard let found = realpath(name, nil) else { throw FileError(Status.code(for: errno), path) }
    defer { free(found) }
    return String(cString: found)
  }

  private static func isWithin(_ directory: String, _ tree: String) -> Bool {
    tree == "/" || directory == tree || directory.utf8.starts(with: (tree + "/").utf8)
  }

  private static func walk(to directory: String, path: String) throws(FileError) -> Descriptor {
    #if canImport(Glibc)
    // O_PATH, which Glibc's module does not export: enough to pass through a directory that may not be listed.
    let search: Int32 = 0o10000000 | O_DIRECTORY | O_NOFOLLOW
    #else
    let search = O_SEARCH | O_NOFOLLOW
    #endif
    var here = try Descriptor(opening: "/", search, path: path)
    for part in directory.split(separator: "/") {
      here = try Descriptor(opening: String(part), in: here.number, search, path: path)
    }
    return here
  }
}
