import KeyplanFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds programs by name, outside of the work tree.
struct ProgramSearch: Sendable {
  /// The absolute entries of `PATH` that are not inside the work tree.
  private let directories: [String]
  private let workTree: String
  private let folder: String
  private let checkout: CheckoutFiles
  private let home: String?

  init(in context: SourceContext) {
    (workTree, folder, checkout) = (context.workTree, context.folder, context.checkout)
    home = context.variables["HOME"]
    directories = (context.variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map(String.init)
      .filter { [checkout = context.checkout] in $0.hasPrefix("/") && !checkout.contains($0) }
  }

  /// The absolute path of a program: by its name in `PATH`, or by a path relative to the manifest's folder. Nil if no
  /// directory has a program with the name.
  func path(of program: String) -> String? {
    guard !program.contains("/") else { return absolute(program) }
    return paths(of: program).first
  }

  /// The absolute paths of all programs in `PATH` with a name.
  func paths(of program: String) -> some Collection<String> {
    directories.lazy.map { $0 + "/" + program }.filter(Self.isProgram)
  }

  func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

  /// Whether a path is in the work tree, literally or after its links are followed.
  func isInside(_ path: String) -> Bool { isBelowWorkTree(path) || checkout.contains(path) }

  /// Whether an argument has a path of the work tree in it, also by a link.
  func mentionsWorkTree(_ argument: String) -> Bool {
    if argument.utf8.count > workTree.utf8.count, argument.contains(workTree) { return true }
    return MentionedPaths(in: argument, home: home).all.contains(where: isInside)
  }

  /// Whether a program or one of its arguments is in the work tree.
  func runsWorkTree(_ words: [String]) -> Bool {
    words.first.flatMap(path(of:)).map(isInside) ?? false
      || words.dropFirst().contains { $0.hasPrefix("/") && isInside($0) || mentionsWorkTree($0) }
  }

  func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The variables of a program: those that every program gets and the named ones, with the `PATH` that was searched.
  /// keyplan's own are left out, as they may contain the identity that opens the store.
  func environment(_ names: Set<String>, from all: [String: String]) -> [String: String] {
    var given: [String: String] = [:]
    for name in ProgramProcess.inherited.union(names) where !name.hasPrefix("KEYPLAN_") {
      guard let value = all[name] else { continue }
      given[name] = name == "PATH" ? directories.joined(separator: ":") : value
    }
    return given
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  private func isBelowWorkTree(_ path: String) -> Bool {
    path == workTree || workTree == "/" || path.hasPrefix(workTree + "/")
  }
}
