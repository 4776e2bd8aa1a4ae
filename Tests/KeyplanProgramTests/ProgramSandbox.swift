import Foundation
import PostgresForTests
import Testing

/// A project, a home and a place for temporary files of their own, for tests that trace, break or kill the program.
final class ProgramSandbox {
  let root: String
  var project: String { root + "/project" }
  var home: String { root + "/home" }
  var identity: String { home + "/.config/keyplan/identity.txt" }
  var store: String { project + "/.keyplan/default.db" }
  /// What the program finds in its environment.
  var variables: [String: String]
  private var runs = 0

  init() throws {
    var template = Array("/tmp/keyplan-fault-XXXXXX".utf8CString)
    root = try #require(mkdtemp(&template).map { String(cString: $0) })
    // As a person at a terminal has it. What differs in CI is in PullRequestTests.
    variables = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb", "KEYPLAN_CHECKOUT": "trusted",
      "COLUMNS": "80",
      // A server of the tests may be slow to answer on a loaded machine.
      "PGCONNECT_TIMEOUT": "120",
    ]
    for name in ["project", "home", "tmp", "streams"] { try #require(mkdir(root + "/" + name, 0o755) == 0) }
    variables["HOME"] = home
    variables["TMPDIR"] = root + "/tmp"
  }

  /// The same once more, with times and modes, somewhere else.
  init(copying other: ProgramSandbox) throws {
    var template = Array("/tmp/keyplan-fault-XXXXXX".utf8CString)
    root = try #require(mkdtemp(&template).map { String(cString: $0) })
    variables = other.variables.mapValues { [root] in $0.replacingOccurrences(of: other.root, with: root) }
    for name in ["project", "home", "tmp"] {
      let copied = try ProgramRun.start(["cp", "-a", other.root + "/" + name, root], variables, in: "/", .none, root)
      try #require(copied.wait().code == 0)
    }
    try #require(mkdir(root + "/streams", 0o755) == 0)
    try moveKnownStores(from: other.root)
  }

  /// What the machine knows of stores names folders: the copy is a machine that knows the copied project.
  private func moveKnownStores(from old: String) throws {
    let path = home + "/.local/state/keyplan/known_stores"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
    let bytes = Data(text.replacingOccurrences(of: old, with: root).utf8)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: bytes)
    try file.close()
  }

  deinit {
    // Read-only folders too, whoever runs the tests.
    for name in ["project", "project/.keyplan", "home"] { chmod(root + "/" + name, 0o755) }
    try? FileManager.default.removeItem(atPath: root)
  }

  /// Runs the program to its end.
  @discardableResult
  func keyplan(_ arguments: String..., input: ProgramRun.Input = .none) throws -> ProgramRun.Answer {
    try start([Shell.program] + arguments, input: input).wait()
  }

  /// Starts any program in the project's folder.
  func start(_ words: [String], input: ProgramRun.Input = .none, closing: [Int32] = []) throws -> ProgramRun {
    runs += 1
    let streams = "\(root)/streams/\(runs)"
    return try ProgramRun.start(words, variables, in: project, input, streams, closing: closing)
  }

  func write(_ text: String, to name: String) throws {
    try write(Array(text.utf8), to: name)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: project + "/" + name))
  }

  func content(of name: String) -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: project + "/" + name))).map(Array.init)
  }

  /// Every file below the given folders of the sandbox, by its path in it, sorted.
  func files(in folders: [String] = ["project", "home", "tmp"]) -> [String] {
    folders.flatMap { folder in
      (FileManager.default.enumerator(atPath: root + "/" + folder)?.allObjects as? [String] ?? [])
        .map { folder + "/" + $0 }
    }
    .sorted()
  }
}

/// One run of a program, with its streams in files, so that nothing can wait for a full pipe.
struct ProgramRun {
  let process: pid_t
  private let streams: String

  enum Input {
    case none
    case text(String)
    /// What is at this path, such as a terminal.
    case file(String)
  }

  struct Answer {
    /// As a shell would say it: 128 and the signal where one ended it.
    let code: Int32
    let out: String
    let err: String
  }

  /// - Parameter streams: the beginning of the names of the files that take standard output and error.
  static func start(
    _ words: [String], _ variables: [String: String], in folder: String, _ input: Input, _ streams: String,
    closing: [Int32] = []
  ) throws -> ProgramRun {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var source = "/dev/null"
    switch input {
    case .none: break
    case .text(let text):
      source = streams + ".in"
      try Data(text.utf8).write(to: URL(filePath: source))
    case .file(let path): source = path
    }
    let make = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, source, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, streams + ".out", make, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, streams + ".err", make, 0o600)
    actions.closeOthers()
    for descriptor in closing { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own, so that all of it can be ended; and signals as a shell would give them.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    let entering = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder]
    var arguments = (entering + words).map { strdup($0) } + [nil]
    var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &environment)
    try #require(failure == 0, "\(words[0]): \(String(cString: strerror(failure)))")
    return ProgramRun(process: process, streams: streams)
  }

  /// Waits for its end. What hangs for twenty minutes is a fault: a debug build takes up to a minute for a passphrase, and on a machine
  /// with much else to do a tenth of it is left.
  func wait() -> Answer {
    var status: Int32 = 0
    let deadline = Deadline()
    while waitpid(process, &status, WNOHANG) == 0 {
      if deadline.isOver {
        Issue.record("It hung: \(err)")
        kill(-process, SIGKILL)
        waitpid(process, &status, 0)
        break
      }
      usleep(1000)
    }
    let signal = status & 0x7f
    return Answer(code: signal == 0 ? status >> 8 & 0xff : 128 + signal, out: out, err: err)
  }

  /// Waits until a file is there and holds what is wanted; false if the program ended first.
  func waits(for path: String, holding isWanted: (String) -> Bool = { _ in true }) -> Bool {
    let deadline = Deadline()
    while !((try? String(contentsOfFile: path, encoding: .utf8)).map(isWanted) ?? false) {
      if deadline.isOver {
        Issue.record("\(path) never held what was wanted: \(err)")
        return false
      }
      if hasEnded {
        return access(path, F_OK) == 0
      }
      usleep(500)
    }
    return true
  }

  /// Whether it has, and `wait` can still be asked how.
  var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) != 0 || information.si_signo != 0
  }

  var out: String { text(".out") }
  var err: String { text(".err") }

  private func text(_ ending: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: streams + ending))) ?? Data(), as: UTF8.self)
  }
}
