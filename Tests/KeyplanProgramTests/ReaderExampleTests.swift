import Foundation
import PostgresForTests
import Testing

/// A program that reads a store with `KeyplanReader`: `examples/tool`, on a store in a file.
@Suite("A program with a reader") struct ReaderExampleTests {
  private func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    #expect(try sandbox.keyplan("init").code == 0)
    try sandbox.write("canary-one\n", to: "one")
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(
      manifest.replacing("keys: {}", with: "keys:\n  one: { provider: generic, source: file://one }"),
      to: "keyplan.yaml")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    return sandbox
  }

  private func start(_ sandbox: ProgramSandbox, _ words: String...) throws -> ProgramRun {
    let program = URL(filePath: Shell.program).deletingLastPathComponent().appending(path: "keyplan-reader-example")
    return try sandbox.start([program.path, "keyplan.yaml", sandbox.identity, "cache"] + words)
  }

  /// Waits until the program has written this.
  private func saw(_ text: String, from run: ProgramRun) -> Bool {
    let deadline = Deadline()
    while !run.out.contains(text) {
      guard !deadline.isOver, !run.hasEnded else {
        Issue.record("It never said \(text): \(run.out) \(run.err)")
        return false
      }
      usleep(1000)
    }
    return true
  }

  @Test("learns of a replaced value while it runs, and that a key was revoked, which no cache serves afterwards")
  func watch() throws {
    let sandbox = try sandbox()
    let run = try start(sandbox, "one", "watch")
    guard saw("one of generic: 10 bytes, fresh\n", from: run) else { return }
    try sandbox.write("canary-number-two\n", to: "one")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    guard saw("key.one changed: 17 bytes\n", from: run) else { return }
    let revoked = try sandbox.keyplan("keys", "revoke", "one", "--yes")
    #expect(revoked.code == 0, "\(revoked)")
    let answer = run.wait()
    #expect(answer.code == 0 && answer.out.hasSuffix("key.one is gone: denied\n"), "\(answer)")
    #expect(!(answer.out + answer.err).contains("canary"))
    let after = try start(sandbox, "one").wait()
    #expect(after.code == 1 && after.out.contains("key.one cannot be read (denied): \"one\" was revoked"), "\(after)")
  }

  @Test("hears of a replaced value from a store's server, long before it would ask again", needsServer)
  func announced() throws {
    let project = try WatchProject(try ProgramSandbox.shared(on: try PostgresServer.shared.get()))
    let manifest = String(decoding: try #require(project.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    let ages = "one: { cache: { fresh: 1h, stale: 2h },"
    try project.sandbox.write(manifest.replacing("one: {", with: ages), to: "keyplan.yaml")
    let run = try start(project.sandbox, "one", "watch")
    guard saw("one of generic: 10 bytes, fresh\n", from: run) else { return }
    try project.set("one", to: "canary-number-two")
    try project.apply()
    guard saw("key.one changed: 17 bytes\n", from: run) else { return }
    kill(run.process, SIGTERM)
    _ = run.wait()
  }

  @Test("is refused a key that nobody declares, and a store that is not its own") func refused() throws {
    let sandbox = try sandbox()
    let missing = try start(sandbox, "two").wait()
    #expect(missing.code == 1 && missing.out.contains("(notFound): The store has no key.two."), "\(missing)")
    #expect(try start(sandbox, "one").wait().code == 0)
    let other = try sandbox.keyplan("identity", "new", "--identity", "other")
    #expect(other.code == 0, "\(other)")
    let program = URL(filePath: Shell.program).deletingLastPathComponent().appending(path: "keyplan-reader-example")
    let stranger = try sandbox.start([program.path, "keyplan.yaml", "other", "cache-2", "one"]).wait()
    #expect(stranger.code == 1 && stranger.out.contains("(denied)"), "\(stranger)")
  }
}
