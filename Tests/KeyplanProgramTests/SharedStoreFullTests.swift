import Foundation
import PostgresForTests
import Testing

/// A server, or a pooler, that has no connection to give.
@Suite("A shared store whose connections are all taken", needsServer)
struct SharedStoreFullTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  /// A store that is used as a role with three connections.
  private func limited() throws -> (sandbox: ProgramSandbox, role: String) {
    let sandbox = try ProgramSandbox.shared(on: server)
    let role = "few_\(sandbox.projectName.lowercased())"
    try sandbox.write("value\n", to: "a.txt")
    try #require(sandbox.keyplan("init").code == 0)
    try sandbox.write("version: 1\nkeys: { a: { provider: generic, source: file://a.txt } }\n", to: "keyplan.yaml")
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.err)")
    try server.sql(
      """
      CREATE ROLE \(role) LOGIN CONNECTION LIMIT 3; GRANT USAGE ON SCHEMA keyplan TO \(role); \
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA keyplan TO \(role)
      """)
    let options = "project=\(sandbox.projectName)&application_name=\(sandbox.projectName)"
    sandbox.variables["KEYPLAN_STORE"] = server.address(options, user: role)
    return (sandbox, role)
  }

  @Test("is waited for, and used once one is free", arguments: ["plan", "get a", "apply --yes"])
  func freed(command: String) throws {
    let (sandbox, role) = try limited()
    try sandbox.write("newer\n", to: "a.txt")
    let holders = try (0..<3).map { _ in try server.background("SELECT pg_sleep(600)", user: role) }
    let run = try sandbox.start([Shell.program] + command.split(separator: " ").map(String.init))
    try server.waitForLog("too many connections for role \"\(role)\"", times: 2)
    for holder in holders { try server.sql("SELECT pg_terminate_backend(\(holder))") }
    let answer = run.wait()
    #expect(answer.code == 0, "\(answer.out)\(answer.err)")
  }

  @Test("is given up when that takes longer than an outage may")
  func never() throws {
    let (sandbox, role) = try limited()
    let holders = try (0..<3).map { _ in try server.background("SELECT pg_sleep(600)", user: role) }
    let answer = try sandbox.keyplan("plan")
    #expect(answer.code == 8 && answer.err.contains("has no connection left"), "\(answer.code)\(answer.err)")
    for holder in holders { try server.sql("SELECT pg_terminate_backend(\(holder))") }
  }

  @Test("is waited for until one signal ends it")
  func interrupted() throws {
    let (sandbox, role) = try limited()
    let holders = try (0..<3).map { _ in try server.background("SELECT pg_sleep(600)", user: role) }
    let run = try sandbox.start([Shell.program, "plan"])
    try server.waitForLog("too many connections for role \"\(role)\"", times: 2)
    kill(run.process, SIGTERM)
    #expect(run.wait().code == 130)
    for holder in holders { try server.sql("SELECT pg_terminate_backend(\(holder))") }
  }

  @Test(
    "is waited for behind a pooler that takes no more clients",
    .enabled(if: Pooler.missing == nil, Comment(rawValue: "SKIPPED: \(Pooler.missing ?? "")")))
  func pooled() throws {
    let sandbox = try ProgramSandbox.shared(on: server)
    try #require(sandbox.keyplan("init").code == 0)
    let pooler = try server.pooler(clients: 1)
    let address = "postgres://keyplan@127.0.0.1:\(pooler.port)/keyplan?project=\(sandbox.projectName)"
    sandbox.variables["KEYPLAN_STORE"] = address
    // The store is known at the server's own address.
    unlink(sandbox.home + "/.local/state/keyplan/known_stores")
    let holder = try server.background("SELECT pg_sleep(600)", through: pooler)
    let run = try sandbox.start([Shell.program, "plan"])
    try pooler.waitForLog("no more connections allowed", times: 2)
    try server.sql("SELECT pg_terminate_backend(\(holder))")
    let answer = run.wait()
    #expect(answer.code == 0, "\(answer.code)\(answer.out)\(answer.err)")
  }
}
