import Foundation
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanStore

@Suite("The lock of a store on a server", needsServer)
struct LeaseTests {
  private let scratch: Scratch
  private let server: PostgresServer

  init() throws {
    server = try PostgresServer.shared.get()
    scratch = try Scratch(.server)
    _ = try scratch.create()
  }

  private func acquire(
    _ command: String = "keyplan apply", timeout: Duration = .zero, clock: WaitingClock = .system
  ) async throws -> StoreLock {
    try await StoreLock.acquire(
      for: scratch.elsewhere, command: command, job: "https://ci.example.com/7", since: Moment(seconds: 1_700_000_000),
      timeout: timeout, clock: clock)
  }

  private var project: String { get throws { try #require(scratch.shared).address.project } }

  /// Has the lease end as if nothing had been heard of its holder for long.
  private func expire() throws {
    try server.sql("UPDATE keyplan.stores SET ends = now() - interval '1 second' WHERE project = '\(project)'")
  }

  @Test("is held by one at a time, whose details the others are told")
  func held() async throws {
    let lock = try await acquire("keyplan apply --yes")
    let holder = try #require(try StoreLock.holder(of: scratch.elsewhere))
    #expect(holder.process == getpid() && holder.command == "keyplan apply --yes" && !holder.host.isEmpty)
    #expect(holder.since == Moment(seconds: 1_700_000_000) && holder.job == "https://ci.example.com/7")
    #expect(holder.id == lock.lease?.token)
    let error = await #expect(throws: StoreError.self) { try await acquire() }
    #expect(error?.code == .locked)
    #expect(
      error?.detail.contains(
        "process \(getpid()) on \(holder.host) since 2023-11-14T22:13:20Z: keyplan apply --yes (https://ci.example.com/7)."
      )
        == true)
    withExtendedLifetime(lock) {}
  }

  @Test("is free again when its holder lets go")
  func released() async throws {
    do { _ = try await acquire() }
    #expect(try StoreLock.holder(of: scratch.elsewhere) == nil)
    _ = try await acquire()
  }

  @Test("is waited for as long as one says, and not longer", arguments: [1, 60])
  func waiting(seconds: Int) async throws {
    let lock = try await acquire()
    let clock = FakeWait()
    let error = await #expect(throws: StoreError.self) {
      try await acquire("keyplan set", timeout: .seconds(seconds), clock: clock.clock)
    }
    #expect(error?.code == .locked)
    #expect(clock.passed >= .seconds(seconds))
    withExtendedLifetime(lock) {}
  }

  @Test("is taken when it is let go while one waits")
  func takenLater() async throws {
    let lock = LockBox(try await acquire())
    let clock = FakeWait { if $0 >= .seconds(59) { lock.release() } }
    let held = try await acquire("keyplan set", timeout: .seconds(60), clock: clock.clock)
    #expect(try StoreLock.holder(of: scratch.elsewhere)?.command == "keyplan set")
    #expect(clock.passed >= .seconds(59))
    withExtendedLifetime(held) {}
  }

  @Test("has a higher token each time, and one of its own for each store")
  func tokens() async throws {
    var tokens: [Int64] = []
    for _ in 0..<3 { tokens.append(try #require(try await acquire().lease?.token)) }
    #expect(tokens == tokens.sorted() && Set(tokens).count == 3)
    let other = try Scratch(.server)
    _ = try other.create()
    let mine = try await acquire()
    _ = try await StoreLock.acquire(for: other.location, command: "other", since: Moment(seconds: 1))
    withExtendedLifetime(mine) {}
  }

  @Test("keeps being heard of while its holder does nothing")
  func heartbeat() async throws {
    let lock = try await acquire()
    let query = "SELECT ends FROM keyplan.stores WHERE project = '\(try project)'"
    let first = try server.sql(query)
    // As long as it takes: the beat is every 3 seconds.
    var later = first
    while later == first { later = try server.sql(query) }
    #expect(later > first)
    withExtendedLifetime(lock) {}
  }

  @Test(
    "that ended by itself or was broken makes its holder's next commit refused, and nothing is lost",
    arguments: [false, true])
  func lost(isBroken: Bool) async throws {
    let first = try await acquire()
    let slow = try scratch.open(.writing, under: first)
    try slow.put(["a": "1"])
    let shared = try #require(scratch.shared)
    if isBroken {
      #expect(try StoreLock.breakLease(try #require(first.lease?.token), of: shared))
      #expect(try StoreLock.holder(of: scratch.elsewhere) == nil)
    } else {
      try expire()
    }
    let second = try await acquire("keyplan rotate")
    let error = #expect(throws: StoreError.self) { try slow.put(["a": "2"]) }
    #expect(error?.code == .lost)
    #expect(error?.detail.contains("keyplan rotate") == true)
    let quick = try scratch.open(.writing, under: second)
    try quick.put(["b": "3"])
    #expect(code { try slow.put(["a": "4"]) } == .lost)
    let store = try scratch.open()
    #expect(try store.text("a") == "1")
    #expect(try store.text("b") == "3")
  }

  @Test("that ended and that nobody took is still its holder's")
  func resumed() async throws {
    let lock = try await acquire()
    let store = try scratch.open(.writing, under: lock)
    try expire()
    try store.put(["a": "1"])
    #expect(try StoreLock.holder(of: scratch.elsewhere)?.id == lock.lease?.token)
  }

  @Test("is broken by its own id only, and once")
  func breaking() async throws {
    let lock = try await acquire()
    let (token, shared) = (try #require(lock.lease?.token), try #require(scratch.shared))
    #expect(try !StoreLock.breakLease(token + 1, of: shared))
    #expect(try StoreLock.breakLease(token, of: shared))
    #expect(try !StoreLock.breakLease(token, of: shared))
    withExtendedLifetime(lock) {}
  }

  @Test("survives the end of its holder's connections, whose commits go on over new ones")
  func terminated() async throws {
    let lock = try await acquire()
    let store = try scratch.open(.writing, under: lock)
    for number in 0..<10 {
      try server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(scratch.application)'")
      try store.put(["a": "\(number)"])
    }
    #expect(try scratch.open().text("a") == "9")
    #expect(try store.facts().serial == 11)
    withExtendedLifetime(lock) {}
  }

  @Test("is told as it is, whoever wrote it")
  func hostile() async throws {
    let lock = try await acquire()
    try server.sql("UPDATE keyplan.stores SET command = E'a\\x1b[31mb' WHERE project = '\(project)'")
    #expect(try StoreLock.holder(of: scratch.elsewhere)?.command == "a [31mb")
    withExtendedLifetime(lock) {}
  }
}
