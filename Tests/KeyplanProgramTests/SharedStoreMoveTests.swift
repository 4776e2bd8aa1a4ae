import Foundation
import PostgresForTests
import Testing

@Suite("Moving a store to a server and back", needsServer)
struct SharedStoreMoveTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  private func move(_ sandbox: ProgramSandbox, _ words: String...) throws -> ProgramRun.Answer {
    try sandbox.start([Shell.program, "store", "move"] + words).wait()
  }

  @Test("shows what it will do, says how the store is found then, and refuses plans of before")
  func told() throws {
    let sandbox = try FaultProject.applied()
    let address = server.address("project=\(sandbox.projectName)&schema=moved")
    let pins = sandbox.content(of: "keyplan.lock")
    try FaultProject.setRound(2, of: sandbox)
    #expect(try sandbox.keyplan("plan", "--allow-forget", "--out", "p.kp").code == 0)

    let dry = try move(sandbox, "--to", address, "--dry-run")
    #expect(dry.code == 0 && dry.out.contains("the tables of keyplan in the schema moved"), "\(dry.out)\(dry.err)")
    #expect(dry.err.contains("dry run"))
    #expect(try server.sql("SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'moved'") == "0")
    #expect(try move(sandbox, "--to", address).code == 64, "nobody can be asked")
    let withPassword = address.replacingOccurrences(of: "keyplan@", with: "keyplan:canary@")
    let refused = try move(sandbox, "--to", withPassword, "--yes")
    #expect(refused.code == 64 && !refused.err.contains("canary"), "\(refused.err)")

    let moved = try move(sandbox, "--to", address, "--yes")
    #expect(moved.code == 0 && moved.out.contains("  store: \(address)\n"), "\(moved.out)\(moved.err)")
    #expect(sandbox.content(of: "keyplan.lock") == pins)
    for command in ["plan", "show", "drift"] {
      let old = try sandbox.keyplan(command)
      #expect(old.code == 9 && old.err.contains("moved from here to"), "\(old.err)")
    }
    sandbox.variables["KEYPLAN_STORE"] = address
    let stale = try sandbox.keyplan("apply", "p.kp")
    #expect(stale.code == 4 && stale.err.contains("moved"), "\(stale.out)\(stale.err)")
    #expect(try sandbox.keyplan("apply", "--yes", "--allow-forget").code == 0)
    try KillTests.check(sandbox, round: 2)

    // Back: to the default file, which needs no word.
    let back = try move(sandbox, "--yes")
    #expect(back.code == 0 && back.out.contains("unset KEYPLAN_STORE"), "\(back.out)\(back.err)")
    let gone = try sandbox.keyplan("get", "alpha")
    #expect(gone.code == 9 && gone.err.contains("default.db"), "\(gone.err)")
    sandbox.variables["KEYPLAN_STORE"] = nil
    try KillTests.check(sandbox, round: 2)
    #expect(sandbox.content(of: "keyplan.lock") == pins)
  }

  @Test("that is killed at any moment is taken up by the next one, and nothing is in two places")
  func killed() throws {
    var random = SplitMix(state: 11)
    let sandbox = try FaultProject.applied()
    let address = server.address("project=\(sandbox.projectName)")
    var whole = Duration.milliseconds(100)
    var killed = 0
    for round in 0..<14 {
      let (from, to) = round.isMultiple(of: 2) ? (sandbox.store, address) : (address, sandbox.store)
      let words = [Shell.program, "store", "move", "--store", from, "--to", to, "--yes", "--lock-timeout", "60s"]
      let run = try sandbox.start(words)
      usleep(UInt32(whole / .milliseconds(1) * Double.random(in: 0..<1, using: &random) * 1000))
      kill(-run.process, SIGKILL)
      killed += run.wait().code == 137 ? 1 : 0
      // At most one of them is the store at any time.
      let codes = try [from, to].map { try sandbox.keyplan("get", "delta", "--store", $0).code }
      #expect(codes.filter { $0 == 0 }.count <= 1, "round \(round): \(codes)")
      let clock = ContinuousClock()
      let began = clock.now
      let again = try sandbox.start(words).wait()
      whole = max(whole * 0.8, min(.seconds(2), clock.now - began))
      #expect(again.code == 0, "round \(round): \(again.out)\(again.err)")
      let (old, new) = (
        try sandbox.keyplan("get", "delta", "--store", from), try sandbox.keyplan("get", "delta", "--store", to)
      )
      #expect(old.code == 9 && new.out == "delta-1", "round \(round): \(old.err)\(new.err)")
    }
    print("moves killed: \(killed) of 14")
    #expect(killed > 2)
    try KillTests.check(sandbox, round: 1)
  }
}
