import Foundation
import Testing

/// The memory of a run that stands still in the middle of its work. Only root may look: the program takes the right from its owner.
@Suite(
  "The text of the identity", needsTracer,
  .enabled(if: geteuid() == 0, "SKIPPED: needs root, to read the memory of another process"))
struct IdentityMemoryTests {
  @Test("is not in the memory of a run any more once it was read")
  func wiped() throws {
    try FaultTracer.requireTracer()
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    let lines = try String(contentsOfFile: sandbox.identity, encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("AGE-SECRET-KEY-1") })
    let secret = String(line.dropFirst(16))
    let log = sandbox.root + "/strace.log"
    let run = try sandbox.start(
      ["strace", "-f", "-o", log, "-P", sandbox.store, "-e", "trace=fdatasync"]
        + ["-e", "inject=fdatasync:signal=SIGSTOP:when=1", Shell.program, "apply", "--yes", "--allow-forget"])
    defer {
      kill(-run.process, SIGKILL)
      _ = run.wait()
    }
    try #require(run.waits(for: log) { $0.contains("--- stopped by SIGSTOP ---") })
    let traced = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let stopped = try #require(traced.first { $0.contains("stopped by") }?.prefix { $0 != " " })
    let memory = try ProcessMemory(of: try #require(pid_t(stopped)))
    #expect(memory.contains(sandbox.project), "the search finds what is there")
    for text in [secret, secret.lowercased()] {
      // Any half of it: the front of what was freed may have been written over.
      for half in [text.prefix(24), text.suffix(24)] {
        #expect(
          !memory.contains(half),
          "the \(half.count) at the \(half.startIndex == text.startIndex ? "front" : "end"), \(text == secret ? "as written" : "in lower case")"
        )
      }
    }
    kill(try #require(pid_t(stopped)), SIGKILL)
  }
}
