import Foundation
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanStore

@Suite("The lock of a holder whose connection is gone", needsServer)
struct HolderWatchTests {
  private let scratch: Scratch
  private let server: PostgresServer

  init() throws {
    server = try PostgresServer.shared.get()
    scratch = try Scratch(.server)
    _ = try scratch.create()
  }

  private func acquire(_ location: StoreLocation? = nil, timeout: Duration = .zero) async throws -> StoreLock {
    try await StoreLock.acquire(
      for: location ?? scratch.elsewhere, command: "keyplan apply", since: Moment(seconds: 1), timeout: timeout)
  }

  private func column(_ name: String) throws -> String {
    try server.sql("SELECT \(name) FROM keyplan.stores WHERE project = '\(scratch.application)'")
  }

  /// A holder that left a lease that would last for an hour.
  private func leave(_ session: String, server start: String = "pg_postmaster_start_time()") throws {
    try server.sql(
      """
      UPDATE keyplan.stores SET token = 7, host = 'ci', process = 1, command = 'keyplan apply', job = '', since = 1, \
      claim = '\\x00', seen = now(), ends = now() + interval '1 hour', \
      (backend, opened, server) = (SELECT \(session), \(start)) WHERE project = '\(scratch.application)'
      """)
  }

  @Test("is waited for no longer, though it would last for an hour", arguments: [false, true])
  func gone(isReused: Bool) async throws {
    // A number that was given to another session since is no sign of life, for who can see when that began.
    let session = isReused ? "pg_backend_pid(), now() - interval '1 day'" : "999999, now()"
    try leave(session)
    let lock = try await acquire(timeout: .seconds(300))
    #expect(lock.lease?.token == 8)
  }

  @Test("is taken by who does not wait, too")
  func impatient() async throws {
    try leave("999999, now()")
    let lock = try await acquire()
    #expect(lock.lease?.token == 8)
  }

  @Test(
    "is waited for where that is no sign",
    arguments: [
      (
        label: "its session is there", session: "(SELECT pid FROM LIVING), (SELECT backend_start FROM LIVING)",
        start: "pg_postmaster_start_time()"
      ),
      (label: "none was noted", session: "NULL::bigint, NULL::timestamptz", start: "NULL::timestamptz"),
      (
        label: "it was on another server, or on this one before it was started again", session: "999999, now()",
        start: "pg_postmaster_start_time() - interval '1 hour'"
      ),
    ])
  func waited(_ left: (label: String, session: String, start: String)) async throws {
    let living = "(SELECT pid, backend_start FROM pg_stat_activity WHERE backend_type = 'checkpointer') x"
    try leave(left.session.replacing("LIVING", with: living), server: left.start)
    let time = FakeWait()
    var watch = HolderWatch(.store, try #require(scratch.shared).lockSession, clock: time.clock)
    let ends1 = watch.ends()
    #expect(!ends1)
    // Long enough for a sign that lasts.
    try await time.clock.sleep(.seconds(1))
    let ends2 = watch.ends()
    #expect(!ends2, "\(left.label)")
    #expect(try column("ends > now()") == "t")
  }

  @Test("is waited for as long as a holder has to make another connection, and no longer")
  func grace() async throws {
    try leave("999999, now()")
    let time = FakeWait()
    var watch = HolderWatch(.store, try #require(scratch.shared).lockSession, clock: time.clock)
    for pause in [.zero, .milliseconds(250), .milliseconds(249)] as [Duration] {
      try await time.clock.sleep(pause)
      let isEnded = watch.ends()
      #expect(!isEnded && watch.hasSign, "\(time.passed)")
    }
    try await time.clock.sleep(.milliseconds(1))
    let isEnded = watch.ends()
    #expect(isEnded)
    #expect(try column("ends > now()") == "f")
  }

  @Test("is never without a session that was noted: a holder may die as soon as it has the lock")
  func notedAtOnce() async throws {
    let server = try PostgresServer()
    let place = StoreLocation.shared(SharedStore(try Scratch.address("noted", on: server)))
    _ = try SealedStore.create(at: place, recipients: try Scratch().recipients, now: Moment(seconds: 1))
    // What every transaction leaves behind.
    try server.sql(
      """
      CREATE TABLE public.left_behind (lock text, noted boolean);
      CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.left_behind SELECT 'store', backend IS NOT NULL FROM keyplan.stores WHERE ends IS NOT NULL
        UNION ALL SELECT 'account', backend IS NOT NULL FROM keyplan.leases WHERE ends IS NOT NULL;
        RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER look AFTER UPDATE ON keyplan.stores DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION public.look();
      CREATE CONSTRAINT TRIGGER look AFTER INSERT OR UPDATE ON keyplan.leases DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION public.look();
      """)
    let lock = try await acquire(place)
    let name = try #require(Identifier<Account>("work"))
    let account = try await StoreLock.acquire(
      account: name, of: place, command: "keyplan calendar", since: Moment(seconds: 1))
    let found = try server.sql("SELECT DISTINCT lock, noted FROM public.left_behind ORDER BY 1, 2")
    #expect(found == "account|t\nstore|t")
    withExtendedLifetime((lock, account)) {}
  }

  @Test("stays that of a living one, who has another connection at once")
  func living() async throws {
    let lock = try await acquire()
    let first = try await noted(otherThan: "")
    try server.sql("SELECT pg_terminate_backend(\(first))")
    let second = try await noted(otherThan: first)
    #expect(second != first)
    #expect(try column("token") == String(try #require(lock.lease).token))
    let error = await #expect(throws: StoreError.self) { try await acquire() }
    #expect(error?.code == .locked)
    withExtendedLifetime(lock) {}
  }

  /// The session that is noted, once it is another one.
  private func noted(otherThan first: String) async throws -> String {
    let deadline = ContinuousClock.now.advanced(by: .seconds(300))
    while ContinuousClock.now < deadline {
      let found = try column("coalesce(backend::text, '')")
      if found != first, !found.isEmpty { return found }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("no session was noted")
    return first
  }

  @Test(
    "is not looked at through a pooler, whose sessions are nobody's own",
    .enabled(if: Pooler.missing == nil, Comment(rawValue: "SKIPPED: \(Pooler.missing ?? "")")))
  func pooled() async throws {
    let pooler = try server.pooler()
    let address = try PostgresAddress(
      "postgres://keyplan@127.0.0.1:\(pooler.port)/keyplan", project: scratch.application, environment: "default",
      variables: [:])
    let lock = try await acquire(.shared(SharedStore(address)))
    let seen = try column("seen")
    // The second beat has noted what there is to note.
    for _ in 0..<2 {
      let before = try column("seen")
      let deadline = ContinuousClock.now.advanced(by: .seconds(300))
      while try column("seen") == before, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    #expect(try column("seen") != seen)
    #expect(try column("backend IS NULL AND opened IS NULL") == "t")
    withExtendedLifetime((lock, pooler)) {}
  }

  @Test("is not looked at by who may not: that costs him nothing but the 15 seconds")
  func blind() async throws {
    let role = "blind_\(UUID().uuidString.prefix(8).lowercased())"
    try server.sql(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA keyplan TO \(role); \
      GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA keyplan TO \(role)
      """)
    // Not one of his own: its start is hidden, and its number counts.
    try leave("(SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'), now() - interval '1 day'")
    let address = try Scratch.address(scratch.application, user: role)
    let time = FakeWait()
    var watch = HolderWatch(.store, PostgresSession(address), clock: time.clock)
    let ends3 = watch.ends()
    #expect(!ends3)
    try await time.clock.sleep(.seconds(1))
    let ends4 = watch.ends()
    #expect(!ends4)
    try leave("999999, now()")
    let lock = try await acquire(.shared(SharedStore(address)), timeout: .seconds(300))
    #expect(lock.lease?.token == 8)
  }

  @Test("is not looked at on a server that does not list its sessions, where the lock is taken all the same")
  func unlisted() async throws {
    let server = try PostgresServer()
    let address = try Scratch.address("unlisted", user: "somebody", on: server)
    let owner = StoreLocation.shared(SharedStore(try Scratch.address("unlisted", on: server)))
    _ = try SealedStore.create(at: owner, recipients: try Scratch().recipients, now: Moment(seconds: 1))
    try server.sql(
      """
      CREATE ROLE somebody LOGIN; GRANT USAGE ON SCHEMA keyplan TO somebody; \
      GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA keyplan TO somebody; \
      REVOKE ALL ON pg_stat_activity FROM PUBLIC
      """)
    let lock = try await acquire(.shared(SharedStore(address)))
    #expect(lock.lease?.token == 1)
    #expect(try server.sql("SELECT backend IS NULL FROM keyplan.stores") == "t")
    let error = await #expect(throws: StoreError.self) { try await acquire(owner) }
    #expect(error?.code == .locked)
    withExtendedLifetime(lock) {}
  }
}
