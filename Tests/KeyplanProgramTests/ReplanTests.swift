import Foundation
import Testing

/// An apply that waits for another one, which changes what it stands on.
@Suite("An apply that waited")
struct ReplanTests {
  private static let manifest = """
    version: 1
    keys:
      a: { provider: generic, source: dotenv://.env#A }
      b: { provider: generic, source: dotenv://.env#B }

    """

  /// Runs `apply` against a lock that is held until somebody else has applied, and gives its answer.
  private static func waited(_ words: (ProgramSandbox) throws -> [String]) throws -> (ProgramSandbox, ProgramRun.Answer)
  {
    let sandbox = try ProgramSandbox()
    try sandbox.write(manifest, to: "keyplan.yaml")
    try sandbox.write("A=1\nB=1\n", to: ".env")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
    try sandbox.write("A=2\nB=2\n", to: ".env")
    let other = try ProgramSandbox(copying: sandbox)
    let words = try words(sandbox)

    let lock = open(sandbox.store + ".lock", O_RDWR | O_CREAT, 0o600)
    try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    let apply = try sandbox.start([Shell.program, "apply", "--lock-timeout", "60s", "--events", "events"] + words)
    try #require(apply.waits(for: sandbox.project + "/events", holding: { $0.contains("change_summary") }))
    // Meanwhile somebody else applies the first key.
    try #require(other.keyplan("apply", "--yes", "--only", "key.a").code == 0)
    try #require(rename(other.store, sandbox.store) == 0)
    flock(lock, LOCK_UN)
    close(lock)
    return (sandbox, apply.wait())
  }

  @Test("plans again with --yes, shows what changed, and applies the rest")
  func approved() throws {
    let (sandbox, answer) = try Self.waited { _ in ["--yes"] }
    #expect(answer.code == 0, "\(answer.out)\(answer.err)")
    #expect(answer.out.contains("Planning again:"), "\(answer.out)\(answer.err)")
    #expect(try sandbox.keyplan("get", "b").out == "2")
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }

  @Test("is stale with an id that was approved, or a plan file")
  func exact() throws {
    let byId = try Self.waited { sandbox in
      let plan = try sandbox.keyplan("plan").out
      return ["--expect", String(try #require(plan.firstMatch(of: /kp1-[0-9a-z]{26}/)).output)]
    }
    #expect([3, 4].contains(byId.1.code) && !byId.1.out.contains("Planning again"), "\(byId.1.out)\(byId.1.err)")
    let saved = try Self.waited { sandbox in
      try #require(sandbox.keyplan("plan", "--out", "plan.kp").code == 0)
      return ["plan.kp"]
    }
    #expect([3, 4].contains(saved.1.code) && !saved.1.out.contains("Planning again"), "\(saved.1.out)\(saved.1.err)")
  }
}
