import Foundation
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanStore

/// What becomes of a wait for the server when its task is cancelled.
@Suite("A wait for the server of a store that nobody wants any more", needsServer, .serialized)
struct GivingUpTests {
  private let server: PostgresServer
  private let scratch: Scratch
  /// The schema, the project and the application: nobody else's tables are locked here.
  private let name: String

  init() throws {
    server = try PostgresServer.shared.get()
    scratch = try Scratch()
    name = "wait_\(UUID().uuidString.prefix(8).lowercased())"
    try SealedStore.create(at: place, recipients: scratch.recipients, now: Moment(seconds: 1)).put(["a": "1"])
  }

  private var place: StoreLocation {
    get throws { .shared(SharedStore(try Scratch.address(name, "schema=\(name)&application_name=\(name)"))) }
  }

  private func open(_ access: SealedStore.Access = .reading) throws -> SealedStore {
    try SealedStore.open(at: place, identities: [scratch.identity], access: access)
  }

  /// Does something while a session holds a lock, until it waits for that.
  /// - Returns: the task, and what lets the lock go.
  private func blocked<Value: Sendable>(
    by statement: String, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> (task: Task<Value, any Error>, free: () throws -> Void) {
    let holder = try server.background("BEGIN; \(statement); SELECT pg_sleep(600)")
    let task = Task(executorPreference: OwnThreads(), operation: work)
    try await server.waitForBlocked(name)
    return (task, { try server.sql("SELECT pg_terminate_backend(\(holder))") })
  }

  private func code(of task: Task<some Sendable, any Error>) async -> StoreError.Code? {
    do {
      _ = try await task.value
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  @Test("ends while it connects")
  func connecting() async throws {
    let silent = try OldServer(version: nil)
    let address = try PostgresAddress(
      "postgres://me@127.0.0.1:\(silent.port)/k?sslmode=disable&connect_timeout=60", project: "p", environment: "e",
      variables: [:])
    let task = Task(executorPreference: OwnThreads()) { try SharedStore(address).exists() }
    task.cancel()
    #expect(await code(of: task) == .interrupted)
  }

  @Test("ends while it reads")
  func reading() async throws {
    let (task, free) = try await blocked(by: "LOCK TABLE \(name).records IN ACCESS EXCLUSIVE MODE") {
      try open().recorded().keys.count
    }
    task.cancel()
    #expect(await code(of: task) == .interrupted)
    try free()
    #expect(try open().text("a") == "1")
  }

  @Test("ends while a lock is asked for, which is given back where the server gives it later")
  func locking() async throws {
    let place = try place
    let (task, free) = try await blocked(by: "SELECT 1 FROM \(name).stores FOR UPDATE") {
      let lock = try await StoreLock.acquire(
        for: place, command: "first", since: Moment(seconds: 1), timeout: .seconds(60))
      return lock.lease?.token
    }
    task.cancel()
    #expect(await code(of: task) == .interrupted)
    try free()
    // What was asked for there is done when nobody waits for a lock any more.
    let query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND state = 'active'"
    let deadline = Deadline()
    while try server.sql(query) != "0" {
      try #require(!deadline.isOver)
      try await Task.sleep(for: .milliseconds(5))
    }
    let lock = try await StoreLock.acquire(for: place, command: "second", since: Moment(seconds: 1))
    #expect(try #require(lock.lease?.token) == 2, "the first was given it")
  }

  @Test("ends while somebody else holds the lock")
  func held() async throws {
    let place = try place
    let lock = try await StoreLock.acquire(for: place, command: "first", since: Moment(seconds: 1))
    let task = Task {
      try await StoreLock.acquire(for: place, command: "second", since: Moment(seconds: 1), timeout: .seconds(600))
    }
    task.cancel()
    #expect(await code(of: task) == .interrupted)
    withExtendedLifetime(lock) {}
  }

  @Test("goes on where it is for a commit, whose outcome must be known", arguments: ["SHARE", "ACCESS EXCLUSIVE"])
  func committing(mode: String) async throws {
    let store = try open(.writing)
    let recorded = try store.recorded()
    let serial = try #require(recorded.store?.serial)
    // What is read for a commit waits for the one lock, what is written for the other.
    let (task, free) = try await blocked(by: "LOCK TABLE \(name).records IN \(mode) MODE") {
      try store.commit([.allow(ExternalAccess(.command, "x"), [])], expecting: serial, at: Moment(seconds: 2))
    }
    task.cancel()
    // It looks ten times a second.
    try await Task.sleep(for: .milliseconds(400))
    try free()
    #expect(try await task.value == serial + 1)
    #expect(try open().recorded().surface.items.count == 1)
  }
}
