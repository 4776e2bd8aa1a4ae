import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanStore

@Suite("A store on a server with a standby", needsServer)
struct StandbyTests {
  @Test("is read there and not written, and goes on there under the same lock after a failover")
  func failover() async throws {
    let server = try PostgresServer()
    let standby = try server.standby()
    let scratch = try Scratch()
    let folder = server.directory.replacing("/", with: "%2F")
    func place(_ hosts: String, _ options: String = "") throws -> StoreLocation {
      .shared(
        SharedStore(
          try PostgresAddress(
            "postgres://keyplan@\(hosts)/keyplan\(options)", project: "shop", environment: "default", variables: [:])))
    }
    func open(_ place: StoreLocation, _ access: SealedStore.Access, under lock: StoreLock? = nil) throws -> SealedStore
    {
      try SealedStore.open(at: place, identities: [scratch.identity], access: access, under: lock)
    }
    let both = "\(folder):\(server.port),\(folder):\(standby.port)"
    func primary() throws -> StoreLocation { try place(both, "?target_session_attrs=read-write") }
    try SealedStore.create(at: primary(), recipients: scratch.recipients, now: Moment(seconds: 1)).put(["a": "1"])
    try standby.follow(server)

    let there = try place("\(folder):\(standby.port)")
    #expect(try open(there, .reading).text("a") == "1")
    let error = try #require(throws: StoreError.self) { try open(there, .writing).put(["a": "no"]) }
    #expect(error.code == .refused && error.detail.contains("is read-only"))
    let lock = await #expect(throws: StoreError.self) {
      try await StoreLock.acquire(for: there, command: "apply", since: Moment(seconds: 1))
    }
    #expect(lock?.code == .refused)

    let held = try await StoreLock.acquire(for: primary(), command: "apply", since: Moment(seconds: 1))
    let store = try open(primary(), .writing, under: held)
    try store.put(["a": "2"])
    try standby.follow(server)
    try server.stop(immediately: true)
    try standby.promote()
    try store.put(["a": "3"])
    #expect(try open(primary(), .reading).text("a") == "3")
    // Which connection the holder had there says nothing here.
    var watch = HolderWatch(.store, PostgresSession(try address(of: primary())))
    let isEnded = watch.ends()
    #expect(!isEnded)
    let other = await #expect(throws: StoreError.self) {
      try await StoreLock.acquire(for: primary(), command: "apply", since: Moment(seconds: 1))
    }
    #expect(other?.code == .locked)
    withExtendedLifetime((held, standby)) {}
  }

  private func address(of place: StoreLocation) throws -> PostgresAddress {
    guard case .shared(let shared) = place else { preconditionFailure("it is on a server") }
    return shared.address
  }
}
