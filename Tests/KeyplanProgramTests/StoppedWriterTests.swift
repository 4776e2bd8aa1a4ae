import Foundation
import Testing

/// Readers beside a writer that stands still inside a commit, where nobody can read.
@Suite("A reader beside a writer that is stopped inside a commit", needsTracer)
struct StoppedWriterTests {
  /// An apply that is stopped at its first sync of the store's file, when its pages are being exchanged.
  private func stopped(in sandbox: ProgramSandbox) throws -> (run: ProgramRun, process: pid_t) {
    try FaultTracer.requireTracer()
    let log = sandbox.root + "/strace.log"
    let run = try sandbox.start(
      ["strace", "-f", "-o", log, "-P", sandbox.store, "-e", "trace=fdatasync"]
        + ["-e", "inject=fdatasync:signal=SIGSTOP:when=1", Shell.program, "apply", "--yes", "--allow-forget"])
    try #require(run.waits(for: log) { $0.contains("--- stopped by SIGSTOP ---") })
    let words = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").first {
      $0.contains("stopped by")
    }
    return (run, try #require(words.flatMap { pid_t($0.prefix { $0 != " " }) }))
  }

  @Test(
    "says who holds the store, and waits as long as it is told to",
    arguments: ["get delta", "plan", "apply --yes", "run -- true"])
  func named(command: String) throws {
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    let (writer, process) = try stopped(in: sandbox)
    let words = command.split(separator: " ").map(String.init)
    let at = words.firstIndex(of: "--") ?? words.endIndex
    let impatient = try sandbox.start([Shell.program] + words[..<at] + ["--lock-timeout", "0s"] + words[at...]).wait()
    #expect(impatient.code == (command.hasPrefix("run") ? 125 : 5), "\(impatient.code)\(impatient.out)\(impatient.err)")
    // The lock file has the number of the process, not that of the thread which strace saw.
    #expect(impatient.err.contains("The store is locked by process "), "\(impatient.err)")
    #expect(impatient.err.contains(": keyplan apply"), "\(impatient.err)")

    let patient = try sandbox.start(
      [Shell.program] + words[..<at] + ["--lock-timeout", "100s", "--quiet"] + words[at...])
    // strace counts by thread, so that another one's first sync stops it again.
    while !writer.hasEnded {
      kill(process, SIGCONT)
      usleep(10_000)
    }
    let answer = patient.wait()
    // A second apply may find that the first has gone on after it planned.
    #expect(answer.code == 0 || command.hasPrefix("apply") && answer.code == 4, "\(answer.out)\(answer.err)")
    #expect(writer.wait().code == 0)
  }

  @Test("names the process of another program that has the store's file")
  func foreign() throws {
    let sandbox = try FaultProject.applied()
    let script = """
      import sqlite3, sys, os
      connection = sqlite3.connect(sys.argv[1])
      connection.execute("BEGIN EXCLUSIVE")
      print(os.getpid(), flush=True)
      open(sys.argv[2], "w").close()
      sys.stdin.read()
      """
    let terminal = try Terminal()
    let holder = try sandbox.start(
      ["python3", "-c", script, sandbox.store, sandbox.root + "/held"], input: .file(terminal.path))
    try #require(holder.waits(for: sandbox.root + "/held"))
    let reader = try sandbox.keyplan("get", "delta", "--lock-timeout", "0s")
    #expect(reader.code == 5 && reader.err.contains("Process \(holder.out.prefix { $0 != "\n" }) "), "\(reader.err)")
    kill(-holder.process, SIGKILL)
    _ = holder.wait()
  }

  /// Without the line breaks of a narrow pipe.
  private func flat(_ text: String) -> String {
    text.split { $0.isWhitespace }.joined(separator: " ")
  }

  @Test(
    "is told that the file system has no locks, and not that somebody holds one",
    arguments: ["get delta", "apply --yes --allow-forget"])
  func unsupported(command: String) throws {
    try FaultTracer.requireTracer()
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    let words = command.split(separator: " ").map(String.init)
    let answer = try sandbox.start(
      ["strace", "-f", "-o", sandbox.root + "/strace.log", "-P", sandbox.store, "-e", "inject=fcntl:error=ENOLCK"]
        + [Shell.program] + words + ["--lock-timeout", "0s"]
    ).wait()
    #expect(answer.code == 1 && flat(answer.err).contains("No locks available"), "\(answer.code)\(answer.err)")
    #expect(!answer.err.contains("process"), "\(answer.err)")
  }

  @Test("is not kept waiting by a lock that is interrupted for ever")
  func interrupted() throws {
    try FaultTracer.requireTracer()
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    let answer = try sandbox.start(
      ["strace", "-f", "-o", "/dev/null", "-e", "inject=flock:error=EINTR", Shell.program, "apply", "--yes"]
    ).wait()
    #expect(answer.code == 1 && flat(answer.err).contains("Interrupted system call"), "\(answer.code)\(answer.err)")
  }
}
