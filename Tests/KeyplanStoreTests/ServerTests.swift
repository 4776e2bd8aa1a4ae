import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import PostgresForTests
import Testing

@testable import KeyplanStore

@Suite("A store on a server", needsServer)
struct ServerTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  @Test("keeps what was acknowledged, though somebody set commits to be lazy")
  func durable() throws {
    let role = "lazy_\(UUID().uuidString.prefix(8).lowercased())"
    try server.sql("CREATE ROLE \(role) LOGIN SUPERUSER; ALTER ROLE \(role) SET synchronous_commit = off")
    let session = PostgresSession(try Scratch.address("lazy", user: role))
    func setting(_ statements: [String]) throws -> String {
      let all = statements + ["SELECT current_setting('synchronous_commit')"]
      return try session.run(all.map { PostgresStatement($0) }, doing: .reading) { answers throws(PostgresFault) in
        try answers[answers.count - 1].text(0, 0)
      }
    }
    #expect(try setting([]) == "off")
    #expect(try setting(["WITH fence AS (SELECT 1 AS id) " + PostgresSchema.durably]) == "on")
  }

  @Test("tells who listens that it moved on, by its id and nothing else")
  func notified() throws {
    let scratch = try Scratch(.server)
    let store = try scratch.create()
    let listener = try server.listen(to: "keyplan") { try store.put(["a": "1"]) }
    #expect(listener.contains(try store.facts().id))
    #expect(!listener.contains("\"a\""))
  }

  @Test("leaves nothing of the old rows in reach when the root key is a fresh one")
  func compacted() throws {
    let scratch = try Scratch(.server)
    let store = try scratch.create()
    try store.put(["a": "1", "b": "2"])
    let before = try scratch.sealed("secrets") + scratch.sealed("records")
    try store.commit([.recipients(scratch.recipients, freshRoot: true)])
    let after = Set(try scratch.sealed("secrets") + scratch.sealed("records"))
    #expect(before.allSatisfy { !after.contains($0) })
    #expect(try scratch.open().text("b") == "2")
  }

  @Test("is asked again where others were at the same rows, and the server wants it begun anew")
  func contended() async throws {
    let scratch = try Scratch(.server)
    _ = try scratch.create()
    let name = scratch.application
    // As it is on servers that know no lower level.
    let level = "-c%20default_transaction_isolation%3Drepeatable%5C%20read"
    let address = try Scratch.address(name, "application_name=\(name)-late&options=\(level)")
    let first = try server.background(
      """
      BEGIN; UPDATE keyplan.stores SET seen = now() WHERE project = '\(name)'; \
      DO $$BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN NULL; END$$; COMMIT
      """)
    // On a thread of its own: it blocks, and all of Swift's may be blocked by other tests.
    let second = Task(executorPreference: OwnThreads()) {
      let lock = try await StoreLock.acquire(
        for: .shared(SharedStore(address)), command: "keyplan apply", since: Moment(seconds: 1), timeout: .zero)
      return lock.lease?.token
    }
    try await server.waitForBlocked("\(name)-late")
    try server.sql("SELECT pg_cancel_backend(\(first))")
    #expect(try await second.value == 1)
  }

  @Test("takes ten thousand keys in one commit, and gives back all of them")
  func many() throws {
    let scratch = try Scratch(.server)
    let store = try scratch.create()
    let texts = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("key-\($0)", "value \($0)") })
    try store.put(texts)
    let again = try scratch.open()
    #expect(try again.recorded().keys.count == 10_000)
    #expect(
      try again.values(of: [name("key-1"), name("key-9999")]).map {
        $0.withBytes { String(decoding: $0, as: UTF8.self) }
      } == ["value 1", "value 9999"])
  }

  @Test("is read in three round trips or fewer, however much there is")
  func roundTrips() throws {
    let scratch = try Scratch(.server)
    try scratch.create().put(Dictionary(uniqueKeysWithValues: (0..<500).map { ("key-\($0)", "value") }))
    let shared = SharedStore(try #require(scratch.shared).address)
    let store = try SealedStore.open(at: .shared(shared), identities: [scratch.identity], access: .reading)
    _ = try store.facts()
    _ = try store.recorded()
    #expect(shared.session.roundTrips <= 3)
  }

  @Test("of a version before 12 is refused")
  func old() throws {
    let fake = try OldServer(version: "11.22")
    let address = try PostgresAddress(
      "postgres://me@127.0.0.1:\(fake.port)/k?sslmode=disable", project: "p", environment: "e", variables: [:])
    let error = #expect(throws: StoreError.self) { try SharedStore(address).exists() }
    #expect(error?.code == .refused)
    #expect(error?.detail.contains("older than PostgreSQL 12") == true)
  }

  @Test("that falls silent is given up, and the libpq that is not there is named")
  func silent() throws {
    let fake = try OldServer(version: nil)
    let address = try PostgresAddress(
      "postgres://me@127.0.0.1:\(fake.port)/k?sslmode=disable&connect_timeout=1", project: "p", environment: "e",
      variables: [:])
    #expect(code { _ = try SharedStore(address).exists() } == .unreachable)
    #expect(PostgresLibrary.load("libnowhere.so.5")?.contains("libnowhere") == true)
  }
}

/// Greets one client as a server of some version does, and says nothing more. Nil: not even that.
final class OldServer: Sendable {
  let port: UInt16
  private let listening: Int32

  init(version: String?) throws {
    let (listening, port) = try Loopback.bound()
    try #require(listen(listening, 1) == 0)
    (self.listening, self.port) = (listening, UInt16(port))
    guard let version else { return }
    Thread.detachNewThread {
      let client = accept(listening, nil, nil)
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = read(client, &buffer, buffer.count)
      // AuthenticationOk, ParameterStatus, ReadyForQuery (PostgreSQL documentation, 55.7).
      var greeting: [UInt8] = [0x52, 0, 0, 0, 8, 0, 0, 0, 0]
      let parameter = Array("server_version".utf8) + [0] + Array(version.utf8) + [0]
      greeting += [0x53, 0, 0, 0, UInt8(parameter.count + 4)] + parameter + [0x5a, 0, 0, 0, 5, 0x49]
      _ = write(client, &greeting, greeting.count)
      _ = read(client, &buffer, buffer.count)
      close(client)
    }
  }

  deinit { close(listening) }
}
