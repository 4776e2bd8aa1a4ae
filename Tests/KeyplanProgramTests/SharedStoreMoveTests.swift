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
    #expect(dry.code == 0 && dry.out.contains("keyplan's tables in the schema moved"), "\(dry.out)\(dry.err)")
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

  @Test("is undone where the new place is lost, and whatever comes back from there is refused")
  func undone() throws {
    let own = try PostgresServer()
    let sandbox = try FaultProject.applied()
    let address = own.address("project=\(sandbox.projectName)")
    try #require(move(sandbox, "--to", address, "--yes").code == 0)
    sandbox.variables["KEYPLAN_STORE"] = address
    try FaultProject.setRound(2, of: sandbox)
    try #require(sandbox.keyplan("apply", "--yes", "--allow-forget").code == 0)
    sandbox.variables["KEYPLAN_STORE"] = nil
    try FaultProject.setRound(1, of: sandbox)

    // While the server has it, nothing is given up.
    let unseen = try move(sandbox, "--undo", "--yes")
    #expect(unseen.code == 9 && unseen.err.contains("--to"), "the mark names no user: \(unseen.out)\(unseen.err)")
    let there = try move(sandbox, "--undo", "--to", address, "--yes")
    #expect(there.code == 1 && there.err.contains("is not lost"), "\(there.out)\(there.err)")
    #expect(try sandbox.keyplan("get", "delta").code == 9)

    try own.stop()
    #expect(try move(sandbox, "--undo", "--store", address).err.contains("--store"), "the wrong place is named")
    let asked = try move(sandbox, "--undo")
    #expect(asked.code == 64 && asked.out.contains("unreachable"), "\(asked.out)\(asked.err)")
    let pins = sandbox.content(of: "keyplan.lock")
    let undone = try move(sandbox, "--undo", "--yes")
    #expect(undone.code == 0 && undone.out.contains("commit keyplan.lock"), "\(undone.out)\(undone.err)")
    #expect(sandbox.content(of: "keyplan.lock") != pins)
    #expect(try sandbox.keyplan("apply", "--yes", "--allow-forget").code == 0)
    try KillTests.check(sandbox, round: 1)

    // It comes back. keyplan.lock says which one is the store.
    try own.start()
    for command in ["plan", "show"] {
      let other = try sandbox.keyplan(command, "--store", address)
      #expect(other.code == 9 && other.err.contains("Unexpected root key"), "\(other.out)\(other.err)")
    }
    let onto = try move(sandbox, "--to", address, "--yes")
    #expect(onto.code == 1 && onto.err.contains("copy of this store"), "\(onto.err)")

    // The other way: moved to a file, which is lost, and found again.
    for table in ["secrets", "records", "keyring", "leases"] {
      try own.sql("DELETE FROM keyplan.\(table) USING keyplan.stores s WHERE store = s.id")
    }
    try own.sql("DELETE FROM keyplan.stores")
    let fresh = try move(sandbox, "--to", address, "--yes")
    #expect(fresh.code == 0, "\(fresh.err)")
    try #require(move(sandbox, "--store", address, "--yes").code == 0)
    let file = try #require(sandbox.content(of: ".keyplan/default.db"))
    #expect(try move(sandbox, "--undo", "--store", address, "--yes").code == 1)
    try FileManager.default.removeItem(atPath: sandbox.store)
    let json = try move(sandbox, "--undo", "--store", address, "--yes", "--json")
    #expect(json.code == 0 && json.out.contains(#""lost":"absent""#), "\(json.out)\(json.err)")
    sandbox.variables["KEYPLAN_STORE"] = address
    #expect(try sandbox.keyplan("get", "delta").out == "delta-1")
    try sandbox.write(file, to: ".keyplan/default.db")
    chmod(sandbox.store, 0o600)
    let found = try sandbox.keyplan("get", "delta", "--store", sandbox.store)
    #expect(found.code == 9 && found.err.contains("Unexpected root key"), "\(found.err)")
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
