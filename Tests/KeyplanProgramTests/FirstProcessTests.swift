import Foundation
import PostgresForTests
import Testing

/// `keyplan watch` as the entry point of a container: the first process of a namespace.
@Suite("keyplan watch as process 1", .enabled(if: PIDNamespace.isWanted, "SKIPPED: needs PID namespaces (unshare)"))
struct FirstProcessTests {
  private func watch(_ project: WatchProject, _ script: String) throws -> ProgramRun {
    try #require(PIDNamespace.isThere, "CI runs these tests, and needs PID namespaces")
    return try project.sandbox.start(
      PIDNamespace.inside + [Shell.program, "watch", "--every", "1s", "--", "sh", "-c", script])
  }

  /// Process 1, by its number outside.
  private func first(_ run: ProgramRun) throws -> pid_t { try #require(ProcessState.children(of: run.process).first) }

  @Test("reaps what the command has left behind")
  func reaps() throws {
    let project = try WatchProject()
    // Each is the child of a shell that ends at once, so that it becomes one of process 1.
    let run = try watch(
      project, "for i in 1 2 3 4 5 6 7 8; do (sh -c 'echo $PPID $$ >>ended' &); done; while :; do sleep 0.05; done")
    let ended = project.sandbox.project + "/ended"
    try #require(run.waits(for: ended) { $0.split(separator: "\n").count == 8 }, "\(run.err)")
    let first = try first(run)
    let deadline = Deadline()
    // Counted once more, it could be a `sleep` that its shell has not waited for yet.
    var left = try zombies(of: first)
    while left > 0, !deadline.isOver {
      usleep(2000)
      left = try zombies(of: first)
    }
    #expect(left == 0)
    kill(first, SIGTERM)
    #expect(run.wait().code == 143)
  }

  private func zombies(of first: pid_t) throws -> Int {
    let family = [first] + (try ProcessState.children(of: first))
    return try family.flatMap { try ProcessState.children(of: $0) }.count { !ProcessState.isRunning($0) }
  }

  @Test("passes each signal on once, and has the command's exit code", arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1])
  func signals(number: Int32) throws {
    let project = try WatchProject()
    let run = try watch(project, WatchProject.script("trap 'echo got >>log; sleep 0.2; exit \(40 + number)' \(number)"))
    try project.logs(["start canary-one canary-two"], for: run)
    kill(try first(run), number)
    #expect(run.wait().code == 40 + number)
    #expect(project.log == ["start canary-one canary-two", "got"])
  }

  @Test("does the same without a command")
  func stream() throws {
    let project = try WatchProject()
    try #require(PIDNamespace.isThere, "CI runs these tests, and needs PID namespaces")
    let run = try project.sandbox.start(PIDNamespace.inside + [Shell.program, "watch", "--every", "1s", "--initial"])
    try project.waits("a line", for: run) { run.out.contains("present") }
    kill(try first(run), SIGTERM)
    #expect(run.wait().code == 0)
  }
}

/// Programs that see only themselves, the first one as process 1.
enum PIDNamespace {
  /// Without namespaces there is nothing to run; CI must have them.
  static var isWanted: Bool { isThere || ProcessInfo.processInfo.environment["CI"] != nil }

  static let inside =
    ["unshare"] + (geteuid() == 0 ? [] : ["--user", "--map-root-user"]) + [
      "--pid", "--fork", "--mount-proc", "--kill-child",
    ]

  static let isThere: Bool = {
    let run = try? ProgramRun.start(
      inside + ["/bin/true"], ["PATH": "/usr/bin:/bin"], in: "/tmp", .none,
      NSTemporaryDirectory() + "keyplan-pid-\(getpid())")
    return run?.wait().code == 0
  }()
}
