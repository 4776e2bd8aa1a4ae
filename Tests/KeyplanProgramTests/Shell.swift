import Foundation
import PostgresForTests
import Testing

/// A folder of its own for one story, with a home, a cleared environment and the built program on the path. Gone when
/// the story is.
final class Shell: Sendable {
  private let root: String
  private let columns: Int
  var folder: String { root + "/work" }

  /// The program under test: `KEYPLAN_TEST_PROGRAM`, or the debug build of this package.
  static let program =
    ProcessInfo.processInfo.environment["KEYPLAN_TEST_PROGRAM"]
    ?? URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: ".build/debug/keyplan").path

  /// `/tmp` and a name of fixed length, so that text with paths in it is wrapped alike everywhere.
  init(columns: Int = 80) throws {
    self.columns = columns
    var template = Array("/tmp/keyplan-XXXXXX".utf8CString)
    root = try #require(mkdtemp(&template).map { URL(filePath: String(cString: $0)).resolvingSymlinksInPath().path })
    for name in ["work", "home", "bin"] { try #require(mkdir(root + "/" + name, 0o755) == 0) }
    try #require(access(Self.program, X_OK) == 0, "build the program first: swift build --product keyplan")
    try #require(symlink(Self.program, root + "/bin/keyplan") == 0)
    let tools = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts/Tools").path
    for name in try FileManager.default.contentsOfDirectory(atPath: tools) {
      try #require(symlink(tools + "/" + name, root + "/bin/" + name) == 0)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// What a command answered.
  struct Answer {
    let out: [String]
    let err: [String]
    let code: Int32
  }

  /// Runs a command by `sh -c`, in a process group of its own and with nothing on standard input. What is left of it after
  /// ten minutes is killed, and so is what it leaves behind.
  func run(_ command: String) throws -> Answer {
    let id = try spawn("umask 022; cd '\(folder)'\n" + command)
    let watch = DispatchWorkItem { kill(-id, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: watch)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    watch.cancel()
    kill(-id, SIGKILL)
    let signal = status & 0x7f
    return Answer(out: try lines("out"), err: try lines("err"), code: signal == 0 ? status >> 8 & 0xff : 128 + signal)
  }

  private func spawn(_ command: String) throws -> pid_t {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, 1, root + "/out", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&files, 2, root + "/err", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    files.closeOthers()
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let variables = [
      "PATH=\(root)/bin:/usr/local/bin:/usr/bin:/bin", "HOME=\(root)/home", "USER=ada", "TERM=xterm", "LANG=C.UTF-8",
      "KEYPLAN_CHECKOUT=trusted", "COLUMNS=\(columns)",
      // git shows progress of what takes longer than two seconds.
      "GIT_PROGRESS_DELAY=86400",
    ]
    let arguments: [String] = ["sh", "-c", command]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
    words.append(nil)
    environment.append(nil)
    defer { (words + environment).forEach { free($0) } }
    var id: pid_t = 0
    try #require(posix_spawn(&id, "/bin/sh", &files, &attributes, &words, &environment) == 0)
    return id
  }

  /// Runs a command and takes back what it did to the story's files.
  func trying(_ command: String) throws -> Answer {
    func perform(_ words: [String]) throws {
      let process = Process()
      (process.executableURL, process.arguments) = (URL(filePath: "/bin/sh"), ["-c"] + words)
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    }
    try perform(["cd \"$0\" && mkdir kept && cp -a work home kept", root])
    let answer = try run(command)
    try perform(["cd \"$0\" && chmod -R u+rwX work home && rm -rf work home && mv kept/* . && rmdir kept", root])
    return answer
  }

  func write(_ lines: [String], to name: String) throws {
    let file = URL(filePath: folder).appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
  }

  /// A file's lines; `<none>` where there is no file.
  func content(of name: String) -> [String] {
    guard let bytes = try? Data(contentsOf: URL(filePath: folder).appending(path: name)) else { return ["<none>"] }
    return shown(String(decoding: bytes, as: UTF8.self))
  }

  private func lines(_ name: String) throws -> [String] {
    shown(String(decoding: try Data(contentsOf: URL(filePath: root + "/" + name)), as: UTF8.self))
  }

  /// Text as lines, with this story's folders under names of their own. A last line that does not end says so.
  private func shown(_ text: String) -> [String] {
    let named = text.replacingOccurrences(of: folder, with: "<here>")
      .replacingOccurrences(of: root + "/home", with: "<home>")
    var lines = named.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() } else { lines[lines.count - 1] += "<no newline>" }
    return lines
  }
}
