import Foundation
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanStore

@Suite("A store on a server, at the worst moment", needsServer)
struct ServerProofTests {
  private let server: PostgresServer
  private let name: String

  init() throws {
    server = try PostgresServer.shared.get()
    name = "proof_\(UUID().uuidString.prefix(8).lowercased())"
  }

  @Test("is read by fifty while a commit is half done, and none of them waits for it")
  func readers() async throws {
    let server = try PostgresServer()
    let scratch = try Scratch()
    func place() throws -> StoreLocation {
      .shared(
        SharedStore(
          try PostgresAddress(server.address(), project: name, environment: "default", variables: [:])))
    }
    let store = try SealedStore.create(at: place(), recipients: scratch.recipients, now: Moment(seconds: 1))
    try store.put(["a": "1"])
    // A commit writes its values after it has taken its place in the store's row: there it is held.
    try server.sql(
      """
      CREATE FUNCTION keyplan.hold() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END'; \
      CREATE TRIGGER hold BEFORE INSERT ON keyplan.secrets FOR EACH ROW EXECUTE FUNCTION keyplan.hold()
      """)
    let holder = try server.background("SELECT pg_advisory_lock(4711); SELECT pg_sleep(600)")
    let writer = Thread { _ = try? store.put(["a": "2"]) }
    writer.start()
    try waitForWriters(1, on: server)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 {
        let location = try place()
        let identity = scratch.identity
        group.addTask {
          try SealedStore.open(at: location, identities: [identity], access: .reading).text("a")
        }
      }
      for try await text in group { #expect(text == "1") }
    }
    try waitForWriters(1, on: server)
    try server.sql("SELECT pg_terminate_backend(\(holder))")
    try waitForWriters(0, on: server)
    let text = try SealedStore.open(at: place(), identities: [scratch.identity], access: .reading).text("a")
    #expect(text == "2")
  }

  /// Until so many commits are held.
  private func waitForWriters(_ count: Int, on server: PostgresServer) throws {
    let query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'"
    let deadline = Deadline()
    while try server.sql(query) != String(count) { try #require(!deadline.isOver) }
  }

  @Test(
    "takes each change once when two race for it, fifty times, with the lock and without", arguments: [true, false])
  func race(isLocked: Bool) async throws {
    let scratch = try Scratch(.server)
    try scratch.create().put(["a": "0"])
    let places = [scratch.elsewhere, scratch.elsewhere]
    let identity = scratch.identity
    var done = 0
    for round in 0..<50 {
      let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
        for place in places {
          group.addTask {
            do {
              let lock =
                isLocked
                ? try await StoreLock.acquire(for: place, command: "apply", since: Moment(seconds: 1)) : nil
              defer { withExtendedLifetime(lock) {} }
              let store = try SealedStore.open(at: place, identities: [identity], access: .writing, under: lock)
              let next = (Int(try store.text("a")) ?? 0) + 1
              try store.put(["a": String(next)])
              return nil
            } catch {
              return (error as? StoreError)?.code ?? .damaged
            }
          }
        }
        var codes: [StoreError.Code?] = []
        for await code in group { codes.append(code) }
        return codes
      }
      #expect(codes.contains(nil), "round \(round): \(codes)")
      #expect(codes.allSatisfy { [nil, .locked, .stale].contains($0) }, "round \(round): \(codes)")
      done += codes.filter { $0 == nil }.count
    }
    // Who was not refused is in it, and nobody twice; a lost update would show as a smaller number.
    #expect(try scratch.open().facts().serial == Int64(done) + 2)
    if isLocked { #expect(try scratch.open().text("a") == String(done)) }
  }

  @Test("is what it was, or what it was to be, when the connection is cut at any message", arguments: [true, false])
  func cut(isForwarded: Bool) async throws {
    let scratch = try Scratch(.server)
    try scratch.create().put(["a": "0"])
    var serial = try scratch.open().facts().serial
    var failures = 0
    var number = 0
    while true {
      number += 1
      let proxy = try CuttingProxy(to: server, cutting: number, forwarding: isForwarded)
      let address = try PostgresAddress(
        "postgres://keyplan@127.0.0.1:\(proxy.port)/keyplan?sslmode=disable", project: scratch.application,
        environment: "default", variables: [:])
      let place = StoreLocation.shared(SharedStore(address))
      do {
        let lock = try await StoreLock.acquire(for: place, command: "apply", since: Moment(seconds: 1))
        let store = try SealedStore.open(
          at: place, identities: [scratch.identity], access: .writing, under: lock)
        try store.put(["a": String(number)])
        withExtendedLifetime(lock) {}
        #expect(try scratch.open().text("a") == String(number), "message \(number)")
        #expect(try scratch.open().facts().serial == serial + 1, "message \(number)")
      } catch {
        // Before it was there for the first time nothing is tried again: it says so at once.
        #expect((error as? StoreError)?.code == .unreachable, "message \(number): \(error)")
        #expect(try scratch.open().facts().serial == serial, "message \(number)")
        failures += 1
      }
      serial = try scratch.open().facts().serial
      // A lock that was taken over a connection that never answered ends by itself; this does not wait for it.
      try server.sql("UPDATE keyplan.stores SET ends = NULL WHERE project = '\(scratch.application)'")
      guard proxy.messages >= number else { break }
    }
    print("cut at each of \(number - 1) messages: \(failures) runs could not begin")
    #expect(number > 15 && failures < number / 2)
  }

  @Test("is moved to whole, or taken up again, when the connection is cut at any message", arguments: [true, false])
  func cutMove(isForwarded: Bool) async throws {
    // The tables are there, whichever test is the first.
    _ = try Scratch(.server).create()
    var (number, failures) = (0, 0)
    while true {
      number += 1
      let scratch = try Scratch()
      try scratch.create().put(["a": "1", "b": "2"])
      let project = "\(name)-\(isForwarded)-\(number)"
      let proxy = try CuttingProxy(to: server, cutting: number, forwarding: isForwarded)
      func move(to address: String) async throws {
        let there = try PostgresAddress(address, project: project, environment: "default", variables: [:])
        let move = StoreMove(
          from: scratch.elsewhere, to: .shared(SharedStore(there)), identities: [scratch.identity],
          names: ("here", "there"))
        _ = try await move.carryOut(command: "move", job: nil, since: Moment(seconds: 1), timeout: .zero)
      }
      func open() throws -> SealedStore {
        try SealedStore.open(
          at: .shared(SharedStore(try Scratch.address(project))), identities: [scratch.identity], access: .reading)
      }
      do {
        try await move(to: "postgres://keyplan@127.0.0.1:\(proxy.port)/keyplan?sslmode=disable")
      } catch {
        failures += 1
        #expect((error as? StoreError)?.code == .unreachable, "message \(number): \(error)")
        let isThere = code { _ = try open() } == nil
        let isHere = code { _ = try scratch.open() } == nil
        #expect(!isThere || !isHere, "message \(number)")
        try server.sql("UPDATE keyplan.stores SET ends = NULL WHERE project = '\(project)'")
        try await move(to: server.address())
      }
      #expect(try open().text("a") == "1" && open().text("b") == "2", "message \(number)")
      #expect(code { _ = try scratch.open() } == .moved, "message \(number)")
      guard proxy.messages >= number else { break }
    }
    print("a move cut at each of \(number - 1) messages: \(failures) were taken up again")
    // The answer to a message that got through may still have come before the cut.
    #expect(number > 20 && (isForwarded || failures > 0))
  }

  @Test(
    "keeps what was there when the server's disk is full, says so, and goes on when there is room",
    .enabled(if: geteuid() == 0, "needs root to mount a small file system"))
  func full() throws {
    let folder = "/tmp/keyplan-\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { rmdir(folder) }
    let user = try server.sql("SELECT 1").isEmpty ? "" : (getpwnam("postgres") == nil ? "nobody" : "postgres")
    func mount(_ options: String) throws -> Bool {
      try Command.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]) == 0
    }
    guard try mount("size=2m,mode=0700,uid=\(user)") else { try Test.cancel("this container may not mount a tmpfs") }
    defer { _ = try? Command.run(["umount", "-l", folder]) }
    let shared = SharedStore(try Scratch.address(name, "schema=\(name)"))
    let scratch = try Scratch()
    let store = try SealedStore.create(at: .shared(shared), recipients: scratch.recipients, now: Moment(seconds: 1))
    try store.put(["a": "1"])
    try server.sql("CREATE TABLESPACE \(name) LOCATION '\(folder)'")
    for table in ["stores", "keyring", "records", "secrets"] {
      try server.sql("ALTER TABLE \(name).\(table) SET TABLESPACE \(name)")
    }
    let long = String(repeating: "v", count: 60_000)
    var last: StoreError?
    var count = 0
    while last == nil, count < 100 {
      do { try store.put(["long-\(count)": long]) } catch { last = error as? StoreError }
      if last == nil { count += 1 }
    }
    #expect(last?.code == .io && last?.detail.contains("Disk full") == true, "\(String(describing: last))")
    #expect(count > 0 && count < 100)
    let whole = try SealedStore.open(at: .shared(shared), identities: [scratch.identity], access: .writing)
    #expect(try whole.recorded().keys.count == count + 1)
    #expect(try whole.text("a") == "1" && whole.text("long-0") == long)
    try #require(try mount("remount,size=64m"))
    try whole.put(["long-\(count)": long])
    #expect(try whole.recorded().keys.count == count + 2)
    try server.sql("DROP SCHEMA \(name) CASCADE")
    try server.sql("DROP TABLESPACE \(name)")
  }

  /// A program of the system.
  private enum Command {
    static func run(_ words: [String]) throws -> Int32 {
      var arguments = words.map { strdup($0) } + [nil]
      defer { for word in arguments { free(word) } }
      var process: pid_t = 0
      guard posix_spawnp(&process, words[0], nil, nil, &arguments, environ) == 0 else { return -1 }
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      return status
    }
  }
}
