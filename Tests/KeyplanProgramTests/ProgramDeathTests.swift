import Foundation
import PostgresForTests
import TestTools
import Testing

/// `kill -9` of keyplan while it waits for another program.
@Suite("A program that keyplan runs, and what it has started, do not outlive keyplan")
struct ProgramDeathTests {
  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case source, target, hook, client, plugin

    var testDescription: String { rawValue }

    var manifest: String {
      let source =
        self == .source ? "{ command: [./tool] }" : self == .client ? "op://vault/item/field" : "file://a.txt"
      let keys = "version: 1\nkeys: { a: { provider: generic, variable: A, source: \(source) } }\n"
      return switch self {
      case .source, .client, .plugin: keys
      case .target: keys + "targets: { there: { type: command, command: [./tool], takeOver: true, keys: { A: a } } }\n"
      case .hook:
        keys + "targets: { app: { type: dotenv, path: .env, keys: { A: a }, after: { command: [./tool] } } }\n"
      }
    }
  }

  /// Notes its number and that of a process that it waits for, which would write much later.
  private static let tool = """
    #!/bin/sh
    echo $$ >>"$0.pids"
    sh -c 'echo $$ >>"$1.pids"; sleep 600; echo late >>"$1.late"' sh "$0"
    exit 0

    """

  @Test("when keyplan is killed", arguments: Place.allCases)
  func killed(place: Place) throws {
    let sandbox = try ProgramSandbox()
    let toy = try ToyPlugin(in: sandbox.root + "/bin")
    sandbox.variables["PATH"] = "\(toy.folder):/usr/local/bin:/usr/bin:/bin"
    try sandbox.write("value\n", to: "a.txt")
    if place == .plugin {
      let (recipient, line) = try toy.key("plain:ada")
      let path = sandbox.home + "/toy.txt"
      try Data("# recipient: \(recipient)\n\(line)\n".utf8).write(to: URL(filePath: path))
      try #require(chmod(path, 0o600) == 0)
      sandbox.variables["KEYPLAN_IDENTITY"] = path
    }
    try sandbox.write(place.manifest, to: "keyplan.yaml")
    let made = try sandbox.keyplan("init")
    try #require(made.code == 0, "\(made)")
    let tool =
      switch place {
      case .source, .target, .hook: sandbox.project + "/tool"
      case .client: toy.folder + "/op"
      case .plugin: toy.program
      }
    // Renamed to its place: while it is written, it cannot be run.
    try Data(Self.tool.utf8).write(to: URL(filePath: tool + ".new"))
    try #require(chmod(tool + ".new", 0o755) == 0 && rename(tool + ".new", tool) == 0)

    let run = try sandbox.start([Shell.program, "apply", "--yes"])
    let lines = { (text: String) in text.split(separator: "\n").compactMap { pid_t($0) } }
    try #require(run.waits(for: tool + ".pids") { lines($0).count == 2 }, "\(run.out)\(run.err)")
    let started = lines(try String(contentsOfFile: tool + ".pids", encoding: .utf8))
    try #require(started.allSatisfy(ProcessState.isRunning))
    kill(run.process, SIGKILL)
    #expect(run.wait().code == 137)
    let deadline = Deadline()
    while started.contains(where: ProcessState.isRunning), !deadline.isOver { usleep(1000) }
    #expect(!started.contains(where: ProcessState.isRunning), "\(started)")
    #expect(access(tool + ".late", F_OK) != 0)
    for process in started where ProcessState.isRunning(process) { kill(process, SIGKILL) }
  }
}

/// What /proc says of processes.
enum ProcessState {
  /// A zombie has ended.
  static func isRunning(_ process: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return !status.isEmpty && status.split(separator: ")").last?.split(separator: " ").first != "Z"
  }

  /// The processes that it has started and not reaped.
  static func children(of process: pid_t) throws -> [pid_t] {
    try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
      .split(separator: " ").compactMap { pid_t($0) }
  }
}
