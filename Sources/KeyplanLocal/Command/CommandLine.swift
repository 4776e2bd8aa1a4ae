import KeyplanCore
import KeyplanFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A command as it is started: with the program's path, and with absolute paths. The work tree is not searched for the
/// program, and is not the working directory unless the manifest declares that.
struct CommandLine: Hashable {
  /// The program's absolute path; nil if it was not found.
  let program: String?
  /// The arguments after the program.
  let arguments: [String]
  /// The declared working directory, absolute; nil for a private empty one.
  let directory: String?
  /// `PATH` without its relative entries and those inside the work tree, for the command and what it starts.
  let searchPath: String
  /// The files of the work tree that the command names as its program or arguments: as written, and as absolute paths.
  let files: [(name: String, path: String)]
  /// Whether the program, the working directory or an argument is in the work tree.
  let runsWorkTree: Bool

  init(_ reference: Reference, in context: SourceContext) {
    let written = reference.arguments.first ?? ""
    let directories = Self.directories(in: context)
    searchPath = directories.joined(separator: ":")
    program = written.contains("/") ? Self.absolute(written, in: context.folder) : Self.find(written, in: directories)
    directory = reference.directory.map { Self.absolute($0, in: context.folder) }
    let given = reference.arguments.dropFirst()
    arguments = given.map { Self.isRelative($0) ? Self.absolute($0, in: context.folder) : $0 }

    var files: [(name: String, path: String)] = []
    var isInside = directory.map { Self.isInside($0, context) } ?? false
    if let program, Self.isInside(program, context) {
      files.append((written, program))
      isInside = true
    }
    for (name, argument) in zip(given, arguments) {
      if argument.hasPrefix("/"), Self.isInside(argument, context) {
        files.append((name, argument))
        isInside = true
      } else if argument.utf8.count > context.workTree.utf8.count, argument.contains(context.workTree) {
        // A path inside an argument, as in `sh -c \"cd /srv/app && ./a\"`: which files it uses is unknown.
        isInside = true
      }
    }
    self.files = files.filter { !reference.data.contains($0.name) }
    runsWorkTree = isInside
  }

  static func == (left: Self, right: Self) -> Bool {
    left.program == right.program && left.arguments == right.arguments && left.directory == right.directory
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(program)
    hasher.combine(arguments)
    hasher.combine(directory)
  }

  /// Only `./` and `../` clearly begin a relative path.
  private static func isRelative(_ argument: String) -> Bool {
    argument.hasPrefix("./") || argument.hasPrefix("../") || argument == "." || argument == ".."
  }

  private static func absolute(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") ? path : folder + "/" + path
  }

  /// The directories of `PATH` in which program names are looked up.
  private static func directories(in context: SourceContext) -> [String] {
    (context.variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") && !isInside($0, context) }
  }

  private static func find(_ name: String, in directories: [String]) -> String? {
    directories.lazy.map { $0 + "/" + name }.first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// Whether a path is in the work tree, literally or after its links are followed.
  private static func isInside(_ path: String, _ context: SourceContext) -> Bool {
    let root = context.workTree
    func isBelow(_ path: String) -> Bool { path == root || root == "/" || path.hasPrefix(root + "/") }
    if isBelow(path) { return true }
    guard let real = realpath(path, nil) else { return false }
    defer { free(real) }
    return isBelow(String(cString: real))
  }
}
