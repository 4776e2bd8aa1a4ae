import Foundation
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanStore

@Suite("The lock of an account in a store on a server", needsServer)
struct AccountLeaseTests {
  private let scratch: Scratch
  private let server: PostgresServer

  init() throws {
    server = try PostgresServer.shared.get()
    scratch = try Scratch(.server)
    _ = try scratch.create()
  }

  private func acquire(_ account: String, timeout: Duration = .zero) async throws -> StoreLock {
    try await StoreLock.acquire(
      account: name(account), of: scratch.elsewhere, command: "keyplan calendar refresh \(account)",
      job: "https://ci.example.com/7", since: Moment(seconds: 1_700_000_000), timeout: timeout)
  }

  private func store() async throws -> StoreLock {
    try await StoreLock.acquire(for: scratch.elsewhere, command: "keyplan apply", since: Moment(seconds: 1))
  }

  private func expire() throws {
    try server.sql(
      """
      UPDATE keyplan.leases SET ends = now() - interval '1 second' WHERE store = \
      (SELECT id FROM keyplan.stores WHERE project = '\(scratch.application)')
      """)
  }

  @Test("is its own: nobody else waits for it, and nobody has it twice")
  func own() async throws {
    let work = try await acquire("work")
    let others = [try await acquire("home"), try await store()]
    let error = await #expect(throws: StoreError.self) { try await acquire("work") }
    #expect(error?.code == .locked)
    #expect(error?.detail.hasPrefix("calendar.work is locked by process \(getpid()) on ") == true)
    #expect(error?.detail.contains("https://ci.example.com/7") == true)
    withExtendedLifetime((work, others)) {}
  }

  @Test("is free again when its holder lets go, and waited for as long as one says")
  func released() async throws {
    var work: StoreLock? = try await acquire("work")
    let second = Task { try await acquire("work", timeout: .seconds(120)) }
    withExtendedLifetime(work) {}
    work = nil
    let held = try await second.value
    #expect(try #require(held.lease).token == 2)
  }

  @Test("is needed for what is written under it: who lost it writes nothing more")
  func lost() async throws {
    let first = try await acquire("work")
    func open(holding account: StoreLock, under lock: StoreLock) throws -> SealedStore {
      try SealedStore.open(
        at: scratch.elsewhere, identities: [scratch.identity], access: .writing, under: lock, holding: [account])
    }
    do {
      let lock = try await store()
      try open(holding: first, under: lock).put(["a": "1"])
      withExtendedLifetime(lock) {}
    }
    // As after a long sleep: it ended, and nobody came. Writing renews it.
    try expire()
    do {
      let lock = try await store()
      try open(holding: first, under: lock).put(["a": "2"])
      withExtendedLifetime(lock) {}
    }
    try expire()
    let second = try await acquire("work")
    let lock = try await store()
    let error = try #require(throws: StoreError.self) { try open(holding: first, under: lock).put(["a": "3"]) }
    #expect(error.code == .lost && error.detail.contains("calendar.work"))
    try open(holding: second, under: lock).put(["b": "4"])
    #expect(try scratch.open().text("a") == "2")
    withExtendedLifetime((first, second)) {}
  }

  @Test("is shown with its name to who knows it, and broken by its id for the account that is meant")
  func broken() async throws {
    let shared = try #require(scratch.shared)
    func holders(_ names: String...) throws -> [String] {
      try StoreLock.accountHolders(of: scratch.elsewhere, among: names.map { name($0) })
        .map { "\($0.account?.name ?? "?") \($0.holder.command) \($0.holder.job ?? "")" }
    }
    #expect(try holders("work") == [])
    let (work, home) = (try await acquire("work"), try await acquire("home"))
    let told = ["home", "work"].map { "\($0) keyplan calendar refresh \($0) https://ci.example.com/7" }
    #expect(try holders("work", "home", "other") == told)
    #expect(try holders("work") == [told[1], told[0].replacing("home keyplan", with: "? keyplan")])

    let id = try #require(work.lease).token
    #expect(try !StoreLock.breakLease(id + 1, of: shared, account: name("work")))
    #expect(try !StoreLock.breakLease(id, of: shared, account: name("other")))
    #expect(try !StoreLock.breakLease(id, of: shared), "the store's lock is another")
    #expect(try StoreLock.breakLease(id, of: shared, account: name("work")))
    #expect(try holders("work", "home") == [told[0]])
    let lock = try await store()
    let error = #expect(throws: StoreError.self) {
      try SealedStore.open(
        at: scratch.elsewhere, identities: [scratch.identity], access: .writing, under: lock, holding: [work]
      ).put(["a": "1"])
    }
    #expect(error?.code == .lost && error?.detail.contains("calendar.work") == true)
    withExtendedLifetime((home, lock)) {}
  }

  @Test("names no account to who looks at the tables")
  func secrecy() async throws {
    let held = try await acquire("canary-account")
    let dump = try server.sql("SELECT name, host FROM keyplan.leases")
    #expect(!dump.contains("canary") && !dump.contains("canary-account".utf8.hexadecimal))
    #expect(!dump.isEmpty)
    withExtendedLifetime(held) {}
  }
}
