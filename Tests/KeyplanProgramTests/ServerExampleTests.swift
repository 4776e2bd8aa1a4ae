import Foundation
import PostgresForTests
import Testing

/// A service that reads a store with `KeyplanReader`: `examples/server`.
@Suite("A service with a reader")
struct ServerExampleTests {
  private func get(_ port: String, _ sandbox: ProgramSandbox) throws -> ProgramRun.Answer {
    try sandbox.start(["/usr/bin/env", "curl", "-sS", "--max-time", "60", "http://127.0.0.1:\(port)/"]).wait()
  }

  /// Asks until the answer is what is wanted.
  private func waits(_ port: String, _ sandbox: ProgramSandbox, for wanted: String) throws {
    let deadline = Deadline()
    var answer = try get(port, sandbox)
    while !answer.out.contains(wanted) {
      try #require(!deadline.isOver && answer.code == 0, "\(wanted): \(answer)")
      answer = try get(port, sandbox)
    }
    #expect(!answer.out.contains("canary"))
  }

  @Test("serves while its key is replaced and while the store is away, without a restart and without the value")
  func serves() throws {
    let project = try WatchProject()
    let sandbox = project.sandbox
    let program = URL(filePath: Shell.program).deletingLastPathComponent().appending(path: "keyplan-server-example")
    let run = try sandbox.start([program.path, "keyplan.yaml", sandbox.identity, "cache", "one"])
    defer {
      kill(run.process, SIGTERM)
      _ = run.wait()
    }
    try project.waits("the port", for: run) { run.out.hasSuffix("\n") && run.out.contains("listening on 127.0.0.1:") }
    let port = String(try #require(run.out.split(separator: "\n").first?.split(separator: ":").last))
    #expect(try get(port, sandbox).out.hasPrefix("version one@1."))
    #expect(try get(port, sandbox).out.hasSuffix(", 10 bytes, fresh\n"))
    try project.set("one", to: "canary-number-two")
    try project.apply()
    try waits(port, sandbox, for: "version one@2.")
    #expect(try get(port, sandbox).out.contains(", 17 bytes, "))
    let (store, away) = (sandbox.store, sandbox.store + ".away")
    #expect(rename(store, away) == 0)
    // Older than the soft age, and served all the same.
    try waits(port, sandbox, for: "17 bytes, stale")
    #expect(rename(away, store) == 0)
    try project.must("keys", "revoke", "one", "--yes")
    try waits(port, sandbox, for: "no key: denied")
    try project.set("one", to: "canary-three")
    try project.apply()
    try waits(port, sandbox, for: "version one@3.")
    #expect(!run.hasEnded && !(run.out + run.err).contains("canary"))
  }
}
