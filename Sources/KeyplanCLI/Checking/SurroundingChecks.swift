internal import KeyplanCore
internal import KeyplanFiles

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Looks at files, folders and programs by their names and modes alone.
enum SurroundingChecks {
  /// Who can write the manifest's folder can say what keyplan does.
  static func folder(_ path: String) -> Check {
    var status = stat()
    guard stat(path, &status) == 0 else { return .error(.folder, "\(path) cannot be looked at.", hint: nil) }
    let isShared = status.st_mode & S_ISVTX != 0
    if status.st_mode & 0o002 != 0, !isShared {
      return .warning(
        .folder, "Everybody can put another manifest into \(path).", hint: "chmod o-w -- \(quoted(path))")
    }
    return .ok(.folder, "the manifest's folder is not everybody's to write")
  }

  /// Whether git passes the store over; nil for a store that is not in the manifest's folder.
  static func ignored(_ store: String, in folder: String, _ world: World) -> Check? {
    let inner = Project.relative(Project.parent(of: store), to: folder)
    guard !inner.hasPrefix("/"), store.hasPrefix(folder + "/"), store != folder + "/" + inner else { return nil }
    let own = lines(of: Project.parent(of: store) + "/.gitignore").contains("*")
    let upper = lines(of: folder + "/.gitignore").contains { line in
      let bare = line.split(separator: "/").joined(separator: "/")
      return bare == inner || bare == inner + "/*"
    }
    guard !own, !upper else { return .ok(.ignored, "git passes \(inner)/ over") }
    return .warning(
      .ignored, "Nothing tells git to pass \(inner)/ over: the store would be committed.",
      hint: "printf '%s\\n' \(quoted(inner + "/")) >> .gitignore")
  }

  /// One finding for each file that cannot be written, or one that all can.
  static func targets(of manifest: Manifest, in folder: String, home: String) -> [Check] {
    var found: [Check] = []
    for (name, target) in manifest.targets.sorted(by: { $0.key < $1.key }) {
      let path = absolute(target.destination.location, in: folder, home: home)
      let parent = Project.parent(of: path)
      if access(parent, F_OK) != 0 {
        found.append(
          .error(
            .targets, "The folder of target.\(name) is not there: \(parent)", hint: "mkdir -p -- \(quoted(parent))"))
      } else if access(parent, W_OK) != 0 || access(path, F_OK) == 0 && !isWritable(path) {
        found.append(
          .error(
            .targets, "target.\(name) cannot be written: \(path)", hint: "ls -ld -- \(quoted(parent)) \(quoted(path))"))
      }
    }
    guard found.isEmpty, !manifest.targets.isEmpty else { return found }
    return [.ok(.targets, "\(counted(manifest.targets.count, "target")) can be written")]
  }

  /// One finding for each program that a source names and that is not there. None is run.
  static func commands(of manifest: Manifest, in folder: String, _ world: World) -> [Check] {
    let references = manifest.keys.values.flatMap(\.sources).filter { $0.scheme == "command" }
    let programs = Set(references.compactMap(\.arguments.first)).sorted()
    let missing = programs.filter { !isThere($0, in: folder, world) }
    guard missing.isEmpty else {
      return missing.map {
        .error(
          .commands, "\(Glyphs.visible($0)), which a source runs, is not there or cannot be run.",
          hint: $0.contains("/") ? "Is its path right?" : "Install it, or add its folder to PATH.")
      }
    }
    return programs.isEmpty
      ? [] : [.ok(.commands, "\(counted(programs.count, "program")) of command sources are there")]
  }

  private static func isThere(_ program: String, in folder: String, _ world: World) -> Bool {
    if program.contains("/") { return isProgram(program.hasPrefix("/") ? program : folder + "/" + program) }
    return (world.variable("PATH") ?? "").split(separator: ":").contains { isProgram($0 + "/" + program) }
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// Asks the mode too, because root may write everything.
  private static func isWritable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o200 != 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, W_OK) == 0
  }

  private static func absolute(_ path: String, in folder: String, home: String) -> String {
    if path.hasPrefix("/") { return path }
    return path.hasPrefix("~/") ? home + path.dropFirst() : folder + "/" + path
  }

  private static func lines(of path: String) -> [String] {
    guard let bytes = try? SafeFile.read(path, limit: 1 << 20) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }

  private static func quoted(_ path: String) -> String { "'" + path.replacing("'", with: "'\\''") + "'" }

  private static func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}
