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
    let answers = runs.map { $0.wait(seconds: 600) }
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
}
