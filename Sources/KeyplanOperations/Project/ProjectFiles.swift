internal import KeyplanFiles
internal import KeyplanModel
package import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
package import Darwin
#endif

/// The paths of a project's files.
extension Project {
  package static let manifestLimit = 16 << 20

  /// The manifest: as named, or `keyplan.yaml` here or in a parent directory.
  package static func find(in world: World) throws(Failure) -> String {
    if let named = world.settings.manifest { return world.absolute(named) }
    var folder = world.directory
    while true {
      let path = (folder == "/" ? "" : folder) + "/keyplan.yaml"
      // In a folder above, any user may have created one: /tmp is writable for everyone.
      if access(path, F_OK) == 0, folder == world.directory || isOwn(path) { return path }
      guard folder != "/", folder.hasPrefix("/") else { break }
      folder = parent(of: folder)
    }
    throw Failure(
      .failed, "No manifest", "There is no keyplan.yaml in \(world.directory) or above it.",
      hint: "Start with `keyplan init`, or name the manifest with --manifest FILE.")
  }

  /// Reads a manifest or an overlay. A link that leads out of the work tree is refused unread: messages quote lines.
  package static func read(_ path: String) throws(Failure) -> [UInt8] {
    do throws(FileError) {
      return try SafeFile.read(path, limit: manifestLimit, within: workTree(of: parent(of: path)))
    } catch {
      guard case .outsideTree = error.code else { throw Failure(error, "Manifest cannot be read") }
      throw Failure(
        .failed, "Manifest is a link", "\(path) leads out of its work tree and was not read.",
        hint: "Put the file itself there. Name a manifest elsewhere with --manifest.")
    }
  }

  /// `keyplan.staging.yaml` next to `keyplan.yaml`.
  package static func overlayPath(of path: String, _ environment: String) -> String {
    let (stem, ending) = split(path)
    return stem + "." + environment + ending
  }

  /// The names of the environments that have an overlay next to the manifest, sorted.
  package static func overlays(of path: String, in world: World) -> [String] {
    let own = path.split(separator: "/").last.map(String.init) ?? ""
    return names(in: parent(of: path)).compactMap { environment(of: $0, beside: own) }.sorted()
  }

  /// The environment whose overlay has this name, next to a manifest of that name.
  package static func environment(of name: String, beside manifest: String) -> String? {
    let (stem, ending) = split(manifest)
    let prefix = stem + "."
    guard name.hasPrefix(prefix), name.hasSuffix(ending), name.utf8.count > prefix.utf8.count + ending.utf8.count
    else { return nil }
    let middle = name.dropFirst(prefix.count).dropLast(ending.count)
    return Identifier<Project>(middle) == nil ? nil : String(middle)
  }

  /// The names in a directory, in no order; none if it does not exist.
  package static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Whether a file belongs to this user or to root.
  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && [0, geteuid()].contains(status.st_uid)
  }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path for messages, relative to the working directory `directory`.
  package static func relative(_ path: String, to directory: String) -> String {
    let prefix = directory == "/" ? "/" : directory + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  /// An absolute path without `.` and `..`, by its text alone.
  package static func normalised(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The same place without `.` and `..`: after a symbolic link, `..` leads elsewhere than the text suggests, so existing folders are
  /// resolved on disk.
  package static func resolved(_ path: String) -> String {
    let parts = path.split(separator: "/")
    guard let name = parts.last, parts.contains(where: { $0 == "." || $0 == ".." }) else { return path }
    guard name != ".", name != "..", let real = realpath(parent(of: path), nil) else { return normalised(path) }
    defer { free(real) }
    let folder = String(cString: real)
    return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  /// A path without links, as far as it exists.
  package static func real(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    guard path.hasPrefix("/"), path != "/", let name = path.split(separator: "/").last else { return path }
    let folder = real(parent(of: path))
    return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  /// Whether a path lies in the work tree of a folder; without one, in the folder itself.
  package static func isInWorkTree(_ path: String, of folder: String) -> Bool {
    isIn(workTree(of: folder), path)
  }

  /// Whether a path lies in a directory, which is resolved.
  package static func isIn(_ root: String, _ path: String) -> Bool {
    let path = real(path)
    return path == root || path.hasPrefix(root == "/" ? "/" : root + "/")
  }

  /// The root of the work tree that a folder is in, that of its superproject for a submodule: a pull request can change both.
  /// Without a work tree, the folder itself.
  package static func workTree(of folder: String) -> String {
    guard var tree = try? WorkTree(containing: folder) else { return real(folder) }
    while let outer = try? tree.superproject { tree = outer }
    return tree.root
  }

  private static func split(_ path: String) -> (stem: String, ending: String) {
    for ending in [".yaml", ".yml"] where path.hasSuffix(ending) {
      return (String(path.dropLast(ending.count)), ending)
    }
    return (path, "")
  }
}
