internal import KeyplanCore
internal import KeyplanFiles

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Where a project's files are.
extension Project {
  static let manifestLimit = 16 << 20

  /// The manifest: as named, or `keyplan.yaml` here or in a parent directory.
  static func find(_ options: GlobalOptions, in world: World) throws(Failure) -> String {
    if let named = options.manifestPath(in: world) { return world.absolute(named) }
    var folder = world.directory
    while true {
      let path = (folder == "/" ? "" : folder) + "/keyplan.yaml"
      if access(path, F_OK) == 0 { return path }
      guard folder != "/", folder.hasPrefix("/") else { break }
      folder = parent(of: folder)
    }
    throw Failure(
      .failed, "No manifest", "There is no keyplan.yaml in \(world.directory) or above it.",
      hint: "Start with `keyplan init`, or name the manifest with --manifest FILE.")
  }

  static func read(_ path: String) throws(Failure) -> [UInt8] {
    do throws(FileError) {
      return try SafeFile.read(path, limit: manifestLimit)
    } catch {
      throw Failure(error, "Manifest cannot be read")
    }
  }

  /// `keyplan.staging.yaml` beside `keyplan.yaml`.
  static func overlayPath(of path: String, _ environment: String) -> String {
    let (stem, ending) = split(path)
    return stem + "." + environment + ending
  }

  /// The names of the environments that have an overlay beside the manifest, sorted.
  static func overlays(of path: String, in world: World) -> [String] {
    let (stem, ending) = split(path)
    let prefix = String(stem.dropFirst(parent(of: path).count)).drop { $0 == "/" } + "."
    guard let directory = opendir(parent(of: path)) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(prefix), name.hasSuffix(ending), name.utf8.count > prefix.utf8.count + ending.utf8.count
      else { continue }
      let middle = name.dropFirst(prefix.count).dropLast(ending.count)
      if Identifier<Project>(middle) != nil { names.append(String(middle)) }
    }
    return names.sorted()
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path as it is named to people who stand in `directory`.
  static func relative(_ path: String, to directory: String) -> String {
    let prefix = directory == "/" ? "/" : directory + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  /// An absolute path without `.` and `..`, by its text alone.
  static func normalised(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The same place without `.` and `..`: behind a symbolic link `..` leads elsewhere than the text says, so a folder that is there is asked.
  static func resolved(_ path: String) -> String {
    let parts = path.split(separator: "/")
    guard let name = parts.last, parts.contains(where: { $0 == "." || $0 == ".." }) else { return path }
    guard name != ".", name != "..", let real = realpath(parent(of: path), nil) else { return normalised(path) }
    defer { free(real) }
    let folder = String(cString: real)
    return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  private static func split(_ path: String) -> (stem: String, ending: String) {
    for ending in [".yaml", ".yml"] where path.hasSuffix(ending) {
      return (String(path.dropLast(ending.count)), ending)
    }
    return (path, "")
  }
}
