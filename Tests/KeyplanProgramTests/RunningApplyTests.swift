import Foundation
import TestTools
import Testing

/// What commands say of an apply that another process is running.
@Suite("While an apply runs")
struct RunningApplyTests {
  @Test("drift and plan say that it runs; once it was killed, that it was interrupted")
  func told() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("one\n", to: "a.txt")
    try sandbox.write(
      """
      version: 1
      keys: { a: { provider: generic, variable: A, source: file://a.txt } }
      targets:
        first: { type: dotenv, path: first.env, keys: { A: a }, after: { command: [./tool] } }
        last: { type: dotenv, path: last.env, keys: { A: a } }

      """, to: "keyplan.yaml")
    try sandbox.write("#!/bin/sh\nexit 0\n", to: "tool")
    try #require(chmod(sandbox.project + "/tool", 0o755) == 0)
    try #require(try sandbox.keyplan("init").code == 0)
    try #require(try sandbox.keyplan("apply", "--yes").code == 0)

    let tool = sandbox.project + "/tool"
    try sandbox.write("#!/bin/sh\necho $$ >\"$0.pid\"\nexec sleep 600\n", to: "tool.new")
    // Renamed to its place: while it is written, it cannot be run.
    try #require(chmod(tool + ".new", 0o755) == 0 && rename(tool + ".new", tool) == 0)
    try sandbox.write("two\n", to: "a.txt")
    let run = try sandbox.start([Shell.program, "apply", "--yes"])
    defer { kill(run.process, SIGKILL) }
    try #require(run.waits(for: tool + ".pid") { $0.hasSuffix("\n") }, "\(run.out)\(run.err)")

    let drift = try sandbox.keyplan("drift")
    #expect(drift.code == 0, "\(drift)")
    #expect(drift.out.contains("An apply has been running since"), "\(drift)")
    #expect(!drift.out.contains("agree") && !drift.out.contains("interrupted"), "\(drift)")
    let plan = try sandbox.keyplan("plan", "--json")
    #expect(!plan.out.contains("\"interrupted\""), "\(plan)")

    kill(run.process, SIGKILL)
    _ = run.wait()
    let after = try sandbox.keyplan("drift")
    #expect(after.code == 2, "\(after)")
    #expect(after.out.contains("interrupted") && !after.out.contains("has been running"), "\(after)")
  }
}
