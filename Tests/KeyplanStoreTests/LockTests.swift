import Foundation
import KeyplanFiles
import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

@Suite("The lock of a store")
struct LockTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.create()
  }

  private func acquire(
    _ command: String = "keyplan apply", timeout: Duration = .zero, clock: WaitingClock = .system
  ) async throws -> StoreLock {
    try await StoreLock.acquire(
      for: scratch.location, command: command, since: Moment(seconds: 1_700_000_000), timeout: timeout, clock: clock)
  }

  @Test("is held by one at a time, whose details the others are told")
  func held() async throws {
    let lock = try await acquire("keyplan apply --yes")
    let holder = try #require(try StoreLock.holder(of: scratch.location))
    #expect(holder.process == getpid())
    #expect(holder.command == "keyplan apply --yes")
    #expect(holder.since == Moment(seconds: 1_700_000_000))
    #expect(!holder.host.isEmpty)
    let error = await #expect(throws: StoreError.self) { try await acquire() }
    #expect(error?.code == .locked)
    #expect(
      error?.detail.contains("process \(getpid()) on \(holder.host) since 2023-11-14T22:13:20Z: keyplan apply --yes.")
        == true)
    withExtendedLifetime(lock) {}
  }

  @Test("is free again when its holder is gone, and its file stays")
  func released() async throws {
    do { _ = try await acquire() }
    #expect(try StoreLock.holder(of: scratch.location) == nil)
    #expect(try scratch.files() == ["store.db", "store.db.lock"])
    #expect(mode(scratch.path + ".lock") == 0o600)
    _ = try await acquire()
  }

  @Test("of an account is its own: nobody else waits for it, and nobody has it twice")
  func account() async throws {
    func acquire(_ name: String) async throws -> StoreLock {
      try await StoreLock.acquire(
        account: try #require(Identifier<Account>(name)), of: scratch.location,
        command: "keyplan calendar refresh work",
        since: Moment(seconds: 1_700_000_000))
    }
    let work = try await acquire("work")
    let others = [try await acquire("home"), try await self.acquire()]
    let error = await #expect(throws: StoreError.self) { try await acquire("work") }
    #expect(error?.code == .locked)
    #expect(error?.detail.hasPrefix("calendar.work is locked by process \(getpid()) on ") == true)
    let shown = try StoreLock.accountHolders(of: scratch.location, among: ["work", "other", "home"].map { name($0) })
    #expect(shown.map { $0.account?.name } == ["home", "work"] && shown.allSatisfy { $0.holder.process == getpid() })
    let files = try scratch.files()
    #expect(!files.contains { $0.contains("other") }, "looking makes no file")
    let path = scratch.path + ".calendar-work.lock"
    #expect(mode(path) == 0o600)
    withExtendedLifetime((work, others)) {}
    #expect(access(path, F_OK) == 0)
  }

  @Test("that a killed process held is nobody's")
  func dead() async throws {
    try Data("99999 1700000000 elsewhere keyplan apply".utf8).write(to: URL(fileURLWithPath: scratch.path + ".lock"))
    chmod(scratch.path + ".lock", 0o600)
    #expect(try StoreLock.holder(of: scratch.location) == nil)
    _ = try await acquire()
  }

  @Test("is waited for as long as one says, and not longer", arguments: [0, 1, 60, 3600])
  func waiting(seconds: Int) async throws {
    let lock = try await acquire()
    let clock = FakeWait()
    let error = await #expect(throws: StoreError.self) {
      try await acquire("keyplan set", timeout: .seconds(seconds), clock: clock.clock)
    }
    #expect(error?.code == .locked)
    // Inspecting a lock holds it for a moment, so that is always waited for.
    #expect(clock.passed == max(.seconds(seconds), .milliseconds(50)))
    withExtendedLifetime(lock) {}
  }

  @Test("is taken when it is let go while one waits")
  func takenLater() async throws {
    let lock = LockBox(try await acquire())
    let clock = FakeWait { if $0 >= .seconds(59) { lock.release() } }
    let held = try await acquire("keyplan set", timeout: .seconds(60), clock: clock.clock)
    #expect(try StoreLock.holder(of: scratch.location)?.command == "keyplan set")
    #expect(clock.passed >= .seconds(59) && clock.passed < .seconds(60))
    withExtendedLifetime(held) {}
  }

  @Test("is not made by asking who holds it")
  func asking() throws {
    #expect(try StoreLock.holder(of: scratch.location) == nil)
    #expect(try scratch.files() == ["store.db"])
  }

  @Test("that anybody could hold is refused")
  func tooOpen() async throws {
    try Data().write(to: URL(fileURLWithPath: scratch.path + ".lock"))
    chmod(scratch.path + ".lock", 0o666)
    let error = await #expect(throws: StoreError.self) { try await acquire() }
    #expect(error?.code == .tooOpen)
  }
}
