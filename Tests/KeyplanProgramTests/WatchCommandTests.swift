import Foundation
import PostgresForTests
import Testing

/// `keyplan watch` with a command.
@Suite("keyplan watch runs a command")
struct WatchCommandTests {
  private typealias Project = WatchProject

  @Test("which is restarted with another value, and is not when another key changes")
  func restart() throws {
    let project = try Project()
    let script = Project.script("trap 'echo term >>log; exit 0' TERM")
    let run = try project.watch("--only", "one", "--", "sh", "-c", script)
    try project.logs(["start canary-one"], for: run)
    try project.set("two", to: "canary-two-again")
    try project.apply()
    try project.set("one", to: "canary-one-again")
    try project.apply()
    try project.logs(["start canary-one", "term", "start canary-one-again"], for: run)
    kill(run.process, SIGTERM)
    let answer = run.wait()
    #expect(answer.code == 0 && answer.out == "" && answer.err == "Restarting the command: ONE changed.\n", "\(answer)")
    #expect(project.log.last == "term")
  }

  @Test("of which nothing is left after a restart, although it ignores SIGTERM and has started others")
  func grace() throws {
    let project = try Project()
    let script = Project.script("trap '' TERM; sleep 1000 & echo $$ $! >>processes")
    let run = try project.watch("--only", "active.main", "--grace", "1s", "--", "sh", "-c", script)
    try project.logs(["start canary-one"], for: run)
    let processes = try started(in: project)
    #expect(processes.count == 2 && processes.allSatisfy(Project.isAlive))
    try project.must("keys", "activate", "two", "main")
    try project.apply()
    // The key of the slot has another variable.
    try project.logs(["start canary-one", "start  canary-two"], for: run)
    // The second one is a child of nobody who waits for it here: it may be left as a zombie.
    #expect(!Project.isAlive(processes[0]))
    try project.waits("the end of what it started", for: run) { !isRunning(processes[1]) }
    kill(-run.process, SIGKILL)
    _ = run.wait()
    // What ignores SIGTERM outlives `watch`.
    for process in try started(in: project) { kill(process, SIGKILL) }
  }

  private func started(in project: Project) throws -> [pid_t] {
    String(decoding: try #require(project.sandbox.content(of: "processes")), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
  }

  private func isRunning(_ process: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return !status.isEmpty && !status.contains(") Z ")
  }

  @Test(
    "of whose values no copy is in the memory of watch while the command runs, also after a restart",
    .enabled(if: geteuid() == 0, "SKIPPED: only root may read the memory of a hardened process"))
  func memory() throws {
    let project = try Project()
    // The front of what was freed is written over at once, and short pieces of memory are soon used again.
    let values = ["0123456789", "abcdefghij"].map {
      "canary-of-the-memory-\(String(repeating: "x", count: 700))-that-ends-with-\($0)"
    }
    try project.set("one", to: values[0])
    try project.apply()
    let run = try project.watch("--only", "one", "--", "sh", "-c", Project.script("trap 'exit 0' TERM"))
    defer {
      kill(run.process, SIGTERM)
      _ = run.wait()
    }
    try project.logs(["start \(values[0])"], for: run)
    #expect(try ProcessMemory(of: run.process).contains(project.sandbox.project), "the search finds what is there")
    #expect(try !ProcessMemory(of: run.process).contains(values[0].suffix(24)))
    try project.set("one", to: values[1])
    try project.apply()
    try project.logs(values.map { "start \($0)" }, for: run)
    for value in values { #expect(try !ProcessMemory(of: run.process).contains(value.suffix(24)), "\(value)") }
  }

  @Test("which gets a signal and keeps its variables, with --signal")
  func signal() throws {
    let project = try Project()
    let script = Project.script("trap 'echo hup $ONE >>log' HUP")
    let run = try project.watch("--signal", "HUP", "--", "sh", "-c", script)
    try project.logs(["start canary-one canary-two"], for: run)
    try project.set("one", to: "canary-one-again")
    try project.apply()
    try project.logs(["start canary-one canary-two", "hup canary-one"], for: run)
    kill(run.process, SIGTERM)
    let answer = run.wait()
    #expect(answer.code == 143 && answer.err == "Sending the signal: ONE changed.\n", "\(answer)")
  }

  @Test(
    "which is stopped when one of its keys is revoked or removed, with the reason, and with code 125",
    arguments: [
      (["keys", "revoke", "one", "--yes"], [], "error: Key is revoked\n"),
      (["keys", "forget", "one", "--allow-forget", "--yes"], [], "error: Variable not found\n"),
      (["keys", "revoke", "one", "--yes"], ["--signal", "HUP"], "error: Key is revoked\n"),
    ])
  func unavailable(words: [String], options: [String], error: String) throws {
    let project = try Project()
    let script = Project.script("trap 'echo term >>log; exit 3' TERM")
    let all = ["watch", "--every", "1s", "--only", "one"] + options + ["--", "sh", "-c", script]
    let run = try project.sandbox.start([Shell.program] + all)
    try project.logs(["start canary-one"], for: run)
    let done = try project.sandbox.start([Shell.program] + words).wait()
    #expect(done.code == 0, "\(done)")
    let answer = run.wait()
    #expect(answer.code == 125 && answer.err.hasPrefix(error) && !answer.err.contains("canary"), "\(answer)")
    #expect(project.log == ["start canary-one", "term"])
  }

  @Test("which keeps running while the store is away, with one warning, and is restarted afterwards")
  func outage() throws {
    let project = try Project()
    let run = try project.watch("--only", "one", "--", "sh", "-c", Project.script(":"))
    try project.logs(["start canary-one"], for: run)
    let (store, away) = (project.sandbox.store, project.sandbox.store + ".away")
    #expect(rename(store, away) == 0)
    try project.waits("a warning", for: run) { run.err.contains("warning: Store not readable") }
    usleep(2_500_000)
    #expect(rename(away, store) == 0)
    try project.set("one", to: "canary-afterwards")
    try project.apply()
    try project.logs(["start canary-one", "start canary-afterwards"], for: run)
    kill(run.process, SIGTERM)
    #expect(run.wait().err.components(separatedBy: "warning:").count == 2)
  }

  @Test("whose keys are in a store on a server", needsServer)
  func server() throws {
    let project = try Project(try ProgramSandbox.shared(on: try PostgresServer.shared.get()))
    let run = try project.watch("--only", "one", "--", "sh", "-c", Project.script("env | grep -c KEYPLAN >>count"))
    try project.logs(["start canary-one"], for: run)
    try project.set("one", to: "canary-one-again")
    try project.apply()
    try project.logs(["start canary-one", "start canary-one-again"], for: run)
    #expect(String(decoding: project.sandbox.content(of: "count") ?? [], as: UTF8.self) == "0\n0\n")
    kill(run.process, SIGTERM)
    #expect(run.wait().code == 143)
  }

  @Test("to which signals are passed on, and whose exit code it has", arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1])
  func signals(number: Int32) throws {
    let project = try Project()
    let script = Project.script("trap 'exit \(40 + number)' \(number)")
    let run = try project.watch("--", "sh", "-c", script)
    try project.logs(["start canary-one canary-two"], for: run)
    kill(run.process, number)
    let answer = run.wait()
    #expect(answer.code == 40 + number && answer.err == "", "\(answer)")
  }

  @Test("which is ended when keyplan is killed")
  func killed() throws {
    let project = try Project()
    let run = try project.watch("--", "sh", "-c", Project.script("trap 'echo term >>log; exit 0' TERM"))
    try project.logs(["start canary-one canary-two"], for: run)
    kill(run.process, SIGKILL)
    #expect(run.wait().code == 137)
    let deadline = Deadline()
    while project.log.last != "term", !deadline.isOver { usleep(2000) }
    #expect(project.log == ["start canary-one canary-two", "term"])
  }

  @Test("which has the terminal: it reads from it, and is interrupted there")
  func terminal() throws {
    let script =
      "trap \"echo interrupted; exit 5\" INT; echo ready; read line; echo \"got $line\"; while :; do sleep 0.05; done"
    let answer = try atTerminal(
      """
      start(program, "watch", "--", "sh", "-c", '\(script)')
      wait_for(b"ready")
      say(b"hello\\n")
      wait_for(b"got hello")
      say(b"\\x03")
      wait_for(b"interrupted")
      print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      """)
    #expect(answer.code == 0 && answer.out == "5\n", "\(answer)")
  }

  @Test("which a shell stops and continues together with it")
  func stopped() throws {
    let answer = try atTerminal(
      """
      start("/bin/bash", "--norc", "--noprofile", "-i")
      say(b"PS1='pro''mpt> '\\n")
      wait_for(b"prompt> ")
      script = 'echo rea""dy; while read line; do echo "got $line"; done'
      say(f"{program} watch -- sh -c '{script}'\\n".encode())
      wait_for(b"ready")
      say(b"\\x1a")
      wait_for(b"Stopped")
      wait_for(b"prompt> ")
      say(b"echo in the she''ll\\n")
      wait_for(b"in the shell")
      say(b"fg\\n")
      say(b"hello\\n")
      wait_for(b"got hello")
      say(b"\\x03")
      wait_for(b"prompt> ")
      say(b"echo co''de $?\\n")
      wait_for(b"code 130")
      print("done")
      """)
    #expect(answer.code == 0 && answer.out == "done\n", "\(answer)")
  }

  /// Runs a program of Python with a terminal at which it types.
  private func atTerminal(_ text: String) throws -> ProgramRun.Answer {
    let project = try Project()
    let beginning = """
      import os, pty, signal, sys
      program = sys.argv[1]
      seen = b""
      def start(*words):
          global child, terminal
          child, terminal = pty.fork()
          if child == 0:
              os.execv(words[0], words)
      def wait_for(text):
          global seen
          while text not in seen:
              seen += os.read(terminal, 1024)
          seen = seen[seen.index(text) + len(text):]
      def say(text):
          os.write(terminal, text)
      signal.alarm(250)

      """
    try project.sandbox.write(beginning + text + "\n", to: "terminal.py")
    return try project.sandbox.start(["/usr/bin/env", "python3", "terminal.py", Shell.program]).wait()
  }
}
