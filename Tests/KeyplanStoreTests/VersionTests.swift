import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import PostgresForTests
import Testing

@testable import KeyplanStore

/// All that a store asks of a server, on others than the one that is installed.
@Suite(
  "A store on another version of PostgreSQL", .serialized,
  .enabled(
    if: !PostgresServer.otherVersions.isEmpty || ProcessInfo.processInfo.environment["CI"] != nil,
    "needs KEYPLAN_TEST_PYTHON: make setup-test"))
struct VersionTests {
  @Test("can be tried: there are two")
  func there() { #expect(PostgresServer.otherVersions.count == 2) }

  @Test("keeps the promises of a store, of its locks and of a move", arguments: PostgresServer.otherVersions)
  func promises(version: String) async throws {
    let server = try PostgresServer(version: version)
    for promise in RecordStoreContract.promises {
      let scratch = try Scratch(.server, on: server)
      try promise.check(.init(try scratch.create(), reopened: { try scratch.open(.writing) }))
    }
    try await commits(on: server)
    try await locks(of: name("work"), on: server)
    try await holder(on: server)
    try await moves(on: server)
  }

  private func acquire(_ scratch: Scratch, timeout: Duration = .zero) async throws -> StoreLock {
    try await StoreLock.acquire(
      for: scratch.elsewhere, command: "keyplan apply", since: Moment(seconds: 1), timeout: timeout)
  }

  /// Commits are told to who listens, made under the lock alone, over whatever connection there is, and leave nothing behind.
  private func commits(on server: PostgresServer) async throws {
    let scratch = try Scratch(.server, on: server)
    let made = try scratch.create()
    try made.put(["a": "0"])
    let before = try scratch.sealed("secrets") + scratch.sealed("records")
    try made.commit([.recipients(scratch.recipients, freshRoot: true)])
    let after = Set(try scratch.sealed("secrets") + scratch.sealed("records"))
    #expect(before.allSatisfy { !after.contains($0) })

    let first = try await acquire(scratch)
    let store = try scratch.open(.writing, under: first)
    #expect(try server.listen(to: "keyplan") { try store.put(["a": "1"]) }.contains(try store.facts().id))
    try server.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(scratch.application)'")
    try store.put(["a": "2"])
    let refused = await #expect(throws: StoreError.self) { try await acquire(scratch) }
    #expect(refused?.code == .locked)

    try server.sql("UPDATE keyplan.stores SET ends = now() - interval '1 s' WHERE project = '\(scratch.application)'")
    let second = try await acquire(scratch)
    #expect(code { try store.put(["a": "3"]) } == .lost)
    try scratch.open(.writing, under: second).put(["b": "4"])
    #expect(try scratch.open().text("a") == "2" && scratch.open().text("b") == "4")
    withExtendedLifetime((first, second)) {}
  }

  /// Accounts have locks of their own, and what is written under one is refused once it is lost.
  private func locks(of account: Identifier<Account>, on server: PostgresServer) async throws {
    let scratch = try Scratch(.server, on: server)
    _ = try scratch.create()
    func take() async throws -> StoreLock {
      try await StoreLock.acquire(
        account: account, of: scratch.elsewhere, command: "keyplan calendar refresh", since: Moment(seconds: 1),
        timeout: .zero)
    }
    let (mine, whole) = (try await take(), try await acquire(scratch))
    let store = try SealedStore.open(
      at: scratch.elsewhere, identities: [scratch.identity], access: .writing, under: whole, holding: [mine])
    try store.put(["a": "1"])
    let refused = await #expect(throws: StoreError.self) { try await take() }
    #expect(refused?.code == .locked)
    try server.sql(
      """
      UPDATE keyplan.leases SET ends = now() - interval '1 second' WHERE store = \
      (SELECT id FROM keyplan.stores WHERE project = '\(scratch.application)')
      """)
    let other = try await take()
    #expect(code { try store.put(["a": "2"]) } == .lost)
    #expect(try scratch.open().text("a") == "1")
    withExtendedLifetime((mine, whole, other)) {}
  }

  /// A holder whose connection is gone is not waited for.
  private func holder(on server: PostgresServer) async throws {
    let scratch = try Scratch(.server, on: server)
    _ = try scratch.create()
    try server.sql(
      """
      UPDATE keyplan.stores SET token = 7, host = 'ci', process = 1, command = 'keyplan apply', job = '', since = 1, \
      claim = '\\x00', seen = now(), ends = now() + interval '1 hour', backend = 999999, opened = now(), \
      server = pg_postmaster_start_time() WHERE project = '\(scratch.application)'
      """)
    let lock = try await acquire(scratch, timeout: .seconds(300))
    #expect(lock.lease?.token == 8)
  }

  /// From the installed server, and back to a file.
  private func moves(on server: PostgresServer) async throws {
    let from = try Scratch(.server)
    let (there, back) = (
      try Scratch(.server, identity: from.identity, on: server), try Scratch(identity: from.identity)
    )
    try from.create().put(["a": "1"])
    for (old, new) in [(from, there), (there, back)] {
      let move = StoreMove(
        from: old.elsewhere, to: new.elsewhere, identities: [from.identity], names: ("here", "there"))
      _ = try await move.carryOut(command: "move", job: nil, since: Moment(seconds: 1500), timeout: .zero)
      #expect(code { _ = try old.open() } == .moved)
      #expect(try new.open().text("a") == "1")
    }
  }
}
