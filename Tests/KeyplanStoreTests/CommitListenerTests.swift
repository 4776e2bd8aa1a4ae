import Foundation
import PostgresForTests
import Testing

@testable import KeyplanStore

@Suite("A listener to a store's commits", needsServer)
struct CommitListenerTests {
  private let scratch: Scratch
  private let store: SealedStore

  init() throws {
    scratch = try Scratch(.server)
    store = try scratch.create()
  }

  private func session(_ address: PostgresAddress? = nil) throws -> CommitListener.Session {
    CommitListener.Session(try address ?? #require(scratch.shared).address)
  }

  /// Looks as often as the server sends something, until there is an answer other than false.
  private func news(_ session: CommitListener.Session) throws -> Bool? {
    let deadline = Deadline()
    while !deadline.isOver {
      var watched = pollfd(fd: session.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&watched, 1, 1000)
      guard let isNews = session.look(.seconds(60), unless: { false }) else { return nil }
      if isNews { return true }
    }
    return false
  }

  @Test("hears them, and not those of other stores of the same server")
  func hears() throws {
    let session = try session()
    #expect(session.look(.seconds(60)) { false } == true, "what was missed before the connection")
    #expect(session.look(.seconds(60)) { false } == false)
    try PostgresServer.shared.get().sql("NOTIFY keyplan, 'another store'")
    var watched = pollfd(fd: session.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&watched, 1, 1_200_000) == 1)
    #expect(session.look(.seconds(60)) { false } == false)
    try store.put(["a": "1"])
    #expect(try news(session) == true)
  }

  @Test("connects again after the server ended the session, and reports what it may have missed")
  func again() throws {
    let session = try session()
    #expect(try news(session) == true)
    let mine = "query = 'LISTEN keyplan' AND application_name = '\(scratch.application)'"
    let ended = try PostgresServer.shared.get().sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(mine)")
    #expect(ended == "t")
    #expect(try news(session) == true)
  }

  @Test("gives up where it would hear nothing: behind a pooler, and at a standby")
  func none() throws {
    let pooler = try PostgresServer.shared.get().pooler()
    let address = try PostgresAddress(
      "postgres://keyplan@127.0.0.1:\(pooler.port)/keyplan", project: scratch.application, environment: "default",
      variables: [:])
    #expect(try session(address).look(.seconds(60)) { false } == nil)
    let server = try PostgresServer()
    let first = try Scratch(.server, on: server)
    _ = try first.create()
    let standby = try server.standby()
    try standby.follow(server)
    let host = server.directory.replacing("/", with: "%2F")
    let copy = try PostgresAddress(
      "postgres://keyplan@\(host):\(standby.port)/keyplan", project: first.application, environment: "default",
      variables: [:])
    #expect(try session(copy).look(.seconds(60)) { false } == nil)
  }

  @Test("calls from a thread of its own, which ends with it")
  func thread() async throws {
    let (stream, heard) = AsyncStream<Void>.makeStream()
    var listener = CommitListener(scratch.location) { heard.yield() }
    var calls = stream.makeAsyncIterator()
    #expect(await calls.next() != nil, "the connection")
    try store.put(["a": "2"])
    #expect(await calls.next() != nil)
    #expect(listener != nil)
    listener = nil
    let mine =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(scratch.application)' AND query = 'LISTEN keyplan'"
    let deadline = Deadline()
    while try PostgresServer.shared.get().sql(mine) != "0" { try #require(!deadline.isOver) }
    #expect(CommitListener(try Scratch().location) {} == nil, "a file")
  }
}
