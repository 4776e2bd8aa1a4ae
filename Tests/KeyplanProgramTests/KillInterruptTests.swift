import Foundation
import PostgresForTests
import Testing

/// Ctrl-C: what is under way ends, what is left is said, and a second one ends at once.
@Suite("An apply that is interrupted")
struct KillInterruptTests {
  /// Sleeps in the given run of it; leaves its process id, so that its end can be seen.
  private static func slow(in run: Int) -> String {
    """
    echo >> \"$TMPDIR/runs\"
    if [ \"$(wc -l < \"$TMPDIR/runs\")\" -eq \(run) ]; then echo $$ > \"$TMPDIR/pid\"; mv \"$TMPDIR/pid\" \"$TMPDIR/slow\"; sleep 30; fi
    /bin/cat epsilon.txt

    """
  }

  @Test(
    "before anything was done: 130, and nothing has changed",
    arguments: [
      (command: ["apply", "--yes"], run: 1, signal: SIGINT), (command: ["apply", "--yes"], run: 2, signal: SIGINT),
      (command: ["apply", "--yes"], run: 2, signal: SIGTERM), (command: ["plan"], run: 1, signal: SIGINT),
      (command: ["drift"], run: 1, signal: SIGTERM), (command: ["apply", "--yes"], run: 1, signal: SIGHUP),
      (command: ["apply", "--yes"], run: 2, signal: SIGHUP), (command: ["plan"], run: 1, signal: SIGHUP),
    ])
  func early(command: [String], run: Int, signal: Int32) throws {
    let sandbox = try FaultProject.applied()
    try FaultProject.setSources(of: sandbox, round: 2)
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(
      manifest.replacing("[/bin/cat, epsilon.txt],", with: "[/bin/sh, slow.sh], timeout: 60s,"), to: "keyplan.yaml")
    try sandbox.write("/bin/cat epsilon.txt\n", to: "slow.sh")
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
    try FaultProject.setSources(of: sandbox, round: 3)
    try sandbox.write(Self.slow(in: run), to: "slow.sh")
    let before = try FaultOutcome(of: sandbox)

    let apply = try sandbox.start([Shell.program] + command)
    try #require(apply.waits(for: sandbox.root + "/tmp/slow"))
    let child = try #require(
      pid_t(String(contentsOfFile: sandbox.root + "/tmp/slow", encoding: .utf8).trimmingCharacters(in: .newlines)))
    kill(apply.process, signal)
    let answer = apply.wait()
    #expect(answer.code == 130, "\(answer.out)\(answer.err)")
    #expect((answer.out + answer.err).contains("nterrupted"), "\(answer.out)\(answer.err)")
    #expect(kill(child, 0) != 0, "the command source must be gone too")
    kill(child, SIGKILL)
    try sandbox.write("/bin/cat epsilon.txt\n", to: "slow.sh")
    try? FileManager.default.removeItem(atPath: sandbox.root + "/tmp/slow")
    try? FileManager.default.removeItem(atPath: sandbox.root + "/tmp/runs")
    try before.expectSame(sandbox)

    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }

  @Test("goes on where SIGHUP was ignored when it began, as under nohup", needsTracer)
  func ignored() throws {
    try FaultTracer.requireTracer()
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    // Held up at a rename, with the signal in between.
    let apply = try sandbox.start(
      ["nohup", "strace", "-f", "-o", sandbox.root + "/strace.log", "-e", "trace=renameat2"]
        + ["-e", "inject=renameat2:delay_enter=1000000:when=1", Shell.program, "apply", "--yes", "--allow-forget"])
    try #require(apply.waits(for: sandbox.project + "/moved.json.keyplan-new"))
    kill(-apply.process, SIGHUP)
    let answer = apply.wait()
    #expect(answer.code == 0, "\(answer.out)\(answer.err)")
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }

  @Test(
    "in the middle, by a session that ends: SIGHUP twice, from the shell and from the kernel, ends the step under way",
    needsTracer)
  func hungUp() throws {
    try FaultTracer.requireTracer()
    let applied = try FaultProject.applied()
    let unbroken = try FaultProject.changed(applied)
    try #require(unbroken.keyplan("apply", "--yes", "--allow-forget").code == 0)
    let reference = try FaultOutcome(of: unbroken)
    let sandbox = try FaultProject.changed(applied)
    let delay = ["-e", "trace=renameat2", "-e", "inject=renameat2:delay_enter=8000000:when=1"]
    let apply = try sandbox.start(
      ["strace", "-f", "-I", "never", "-o", sandbox.root + "/strace.log"] + delay
        + [Shell.program, "apply", "--yes", "--allow-forget"])
    try #require(apply.waits(for: sandbox.project + "/moved.json.keyplan-new"))
    for _ in 0..<2 {
      kill(-apply.process, SIGHUP)
      usleep(300_000)
    }
    let answer = apply.wait()
    #expect(answer.code == 3 && answer.out.contains("interrupted"), "\(answer.code)\(answer.out)\(answer.err)")
    try reference.check(sandbox, after: answer, "SIGHUP × 2")
  }

  @Test(
    "in the middle: the step under way ends, the rest is named, 3; a second signal ends it at once",
    needsTracer, arguments: [1, 2])
  func halfway(signals: Int) throws {
    try FaultTracer.requireTracer()
    let applied = try FaultProject.applied()
    let unbroken = try FaultProject.changed(applied)
    try #require(unbroken.keyplan("apply", "--yes", "--allow-forget").code == 0)
    let reference = try FaultOutcome(of: unbroken)

    let sandbox = try FaultProject.changed(applied)
    // Held up at a rename: for as long as one signal needs, or until a second one is heard.
    let microseconds = signals == 1 ? 8_000_000 : 10_000_000
    let delay = ["-e", "trace=renameat2", "-e", "inject=renameat2:delay_enter=\(microseconds):when=1"]
    let apply = try sandbox.start(
      ["strace", "-f", "-o", sandbox.root + "/strace.log"] + delay
        + [Shell.program, "apply", "--yes", "--allow-forget"])
    try #require(apply.waits(for: sandbox.project + "/moved.json.keyplan-new"))
    kill(-apply.process, SIGINT)
    // The second one counts as such once the first has been heard: until then it is the first.
    let deadline = Deadline()
    while signals > 1, !apply.hasEnded, !deadline.isOver {
      usleep(50_000)
      kill(-apply.process, SIGINT)
    }
    let answer = apply.wait()
    if signals == 1 {
      #expect(answer.code == 3, "\(answer.out)\(answer.err)")
      #expect(answer.out.contains("interrupted"), "\(answer.out)\(answer.err)")
    } else {
      #expect(answer.code == 130, "\(answer.out)\(answer.err)")
      #expect(!answer.out.contains("Applied"), "it must not wait for the step")
    }
    try reference.check(sandbox, after: answer, "SIGINT × \(signals)")
  }
}
