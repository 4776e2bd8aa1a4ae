import PostgresForTests
import Testing

/// Tokens of calendar accounts where several machines share them.
@Suite(
  "A calendar account in a shared store", needsServer,
  .enabled(if: AccountPeer.Kind.microsoft.isHere, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct SharedAccountTests {
  @Test("comes along when the store is moved, and eight processes refresh it once, through one lock for all machines")
  func atOnce() throws {
    let server = try PostgresServer.shared.get()
    let project = try AccountProject(.microsoft)
    #expect(try project.signIn(lifetime: 200).code == 0)
    let address = server.address("project=\(project.sandbox.projectName)")
    let moved = try project.sandbox.keyplan("store", "move", "--to", address, "--yes")
    #expect(moved.code == 0, "\(moved.out)\(moved.err)")
    project.sandbox.variables["KEYPLAN_STORE"] = address

    let machines = try (0..<4).map { _ in try ProgramSandbox(copying: project.sandbox) }
    let runs = try (machines + machines).map { try $0.start([Shell.program, "calendar", "token", "work"]) }
    let answers = runs.map { $0.wait() }
    #expect(answers.allSatisfy { $0.code == 0 }, "\(answers.map(\.err))")
    #expect(Set(answers.map(\.out)).count == 1 && answers[0].out.utf8.count > 10)
    #expect(try project.peer.refreshes() == [200])

    let next = try project.calendar("refresh", "work")
    #expect(next.code == 0, "\(next.out)\(next.err)")
    #expect(try project.peer.refreshes() == [200, 200])
    #expect(try project.calendar("token", "work").out != answers[0].out)
    #expect(try project.signIn().code == 0)
    #expect(try project.calendar("status").out.contains("granted"))
    let old = try project.sandbox.keyplan("show", "--store", project.sandbox.store)
    #expect(old.code == 9 && old.err.contains("was moved"), "\(old.err)")
  }

  @Test("is named by unlock while its lock is held, if the manifest has it, and its lock can be broken")
  func unlocking() throws {
    let server = try PostgresServer.shared.get()
    let project = try AccountProject(.microsoft)
    #expect(try project.signIn().code == 0)
    let address = server.address("project=\(project.sandbox.projectName)")
    try #require(project.sandbox.keyplan("store", "move", "--to", address, "--yes").code == 0)
    project.sandbox.variables["KEYPLAN_STORE"] = address
    project.sandbox.variables["CI_JOB_URL"] = "https://ci.example.com/jobs/8"
    try #require(project.calendar("refresh", "work").code == 0)
    let free = try project.sandbox.keyplan("unlock")
    #expect(free.code == 0 && !free.out.contains("calendar"), "\(free.out)")

    // The same holder again, who is heard of; and one of an account that the manifest does not have.
    let mine = "store = (SELECT id FROM keyplan.stores WHERE project = '\(project.sandbox.projectName)')"
    try server.sql(
      "UPDATE keyplan.leases SET ends = now() + interval '1 hour', seen = now(), backend = NULL WHERE \(mine)")
    try server.sql(
      """
      INSERT INTO keyplan.leases (store, name, token, host, process, command, job, since, claim, seen, ends) \
      SELECT store, '\\x00', 41, 'elsewhere', 7, command, '', since, claim, seen, ends FROM keyplan.leases WHERE \(mine)
      """)
    let held = try project.sandbox.keyplan("unlock")
    let lines = held.out.split(separator: "\n")
    #expect(held.code == 0 && lines.count == 7, "the store itself is free: \(held.out)\(held.err)")
    #expect(held.out.contains("calendar.work is locked by process") && held.out.contains("ci.example.com/jobs/8"))
    #expect(held.out.contains("An account that is not in the manifest is locked by process 7 on elsewhere"))
    let id = try #require(held.out.firstMatch(of: /keyplan unlock ([0-9]+) --account work/)?.1)
    let json = try project.sandbox.keyplan("unlock", "--json").out
    #expect(json.contains(#""account":"work""#) && json.contains("\"id\":\(id)") && !json.contains("holder"), "\(json)")
    #expect(try project.calendar("refresh", "work", "--lock-timeout", "1s").code == 5)

    #expect(try project.sandbox.keyplan("unlock", "--account", "work").code == 64)
    #expect(try project.sandbox.keyplan("unlock", "999999", "--account", "work").code == 1)
    #expect(try project.sandbox.keyplan("unlock", String(id)).code == 1, "it is not the store's")
    let broken = try project.sandbox.keyplan("unlock", String(id), "--account", "work")
    #expect(broken.code == 0 && broken.out.contains("calendar.work is broken"), "\(broken.out)\(broken.err)")
    #expect(try project.calendar("refresh", "work").code == 0)
  }
}
