import Foundation
import KeyplanApply
import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import PostgresForTests
import Synchronization
import Testing

@testable import KeyplanStore

@Suite("Moving a store")
struct MoveTests {
  /// From where to where.
  struct Way: CustomTestStringConvertible, Sendable {
    let from: Scratch.Kind
    let to: Scratch.Kind
    var testDescription: String { "\(from) to \(to)" }
    static let all = Scratch.kinds.flatMap { from in Scratch.kinds.map { Way(from: from, to: $0) } }
      .filter { $0.from == .file || $0.to == .file }
    /// The ones that people take.
    static let usual = all.filter { $0.from != $0.to || Scratch.kinds.count == 1 }
  }

  /// A store with history, a journal and something forgotten, and a place for it.
  private struct Both {
    let from: Scratch
    let to: Scratch

    init(_ way: Way) throws {
      from = try Scratch(way.from)
      to = try Scratch(way.to, identity: from.identity)
      let store = try from.create()
      try store.put(["alpha": "1", "beta": "2"])
      try store.put(["alpha": "3"])
      try store.put(["gone": "4"])
      try store.commit([.forget(name("gone")), .began(.recipients), .allow(ExternalAccess(.host, "example.com"), [])])
    }

    @discardableResult func move(
      reaching: @escaping @Sendable (StoreMove.Stage) throws(StoreError) -> Void = { _ throws(StoreError) in }
    ) async throws -> StoreMove.Outcome {
      var move = StoreMove(
        from: from.elsewhere, to: to.elsewhere, identities: [from.identity], names: ("the old place", "the new place"))
      move.reached = reaching
      return try await move.carryOut(
        command: "keyplan store move", job: nil, since: Moment(seconds: 3000), timeout: .zero)
    }

    func back() -> Both { Both(from: to, to: from) }

    private init(from: Scratch, to: Scratch) { (self.from, self.to) = (from, to) }
  }

  /// What can be read, beside where it stands.
  private struct Content: Equatable {
    let keys: [Identifier<Key>: KeyRecord]
    let surface: Surface
    let interrupted: [Address: Moment]
    let forgotten: [Identifier<Key>]
  }

  private static func content(_ scratch: Scratch) throws -> Content {
    let recorded = try scratch.open().recorded()
    return Content(
      keys: recorded.keys, surface: recorded.surface, interrupted: recorded.interrupted,
      forgotten: recorded.forgotten.map(\.key))
  }

  @Test("takes every row as it is, and leaves behind where it went", arguments: Way.all)
  func rows(way: Way) async throws {
    let both = try Both(way)
    let before = try both.from.everything()
    let (content, facts) = (try Self.content(both.from), try both.from.open().facts())
    let outcome = try await both.move()

    let store = try both.to.open(.writing)
    #expect(try outcome.facts == store.facts() && outcome.digest == before.digest.hexadecimal)
    #expect(try outcome.marked == both.from.everything().header.serial && outcome.marked > facts.serial)
    #expect(outcome.survey.records == before.records.count && outcome.survey.values == before.values.count)
    let after = try both.to.everything()
    let state = try #require(before.records.first { !after.records.contains($0) }?.id)
    #expect(after.records.filter { $0.id != state } == before.records.filter { $0.id != state })
    #expect(after.values == before.values && after.header.keyring == before.header.keyring)
    #expect(try Self.content(both.to) == content)
    let moved = try store.facts()
    #expect(moved.id == facts.id && moved.rootID == facts.rootID && moved.epoch == facts.epoch)
    let movedAt = try store.recorded().store?.movedAt
    #expect(moved.serial > facts.serial && moved.serial == movedAt)
    #expect(try store.text("alpha", version: 1) == "1" && store.text("alpha") == "3")

    #expect(try both.from.everything().values == before.values, "the old rows stay until somebody takes them away")
    for access in [SealedStore.Access.reading, .writing] {
      let error = #expect(throws: StoreError.self) { try both.from.open(access) }
      #expect(error?.code == .moved && error?.detail.contains("to the new place") == true)
    }
    try store.put(["alpha": "5"])
    // Back, over what was left there.
    try await both.back().move()
    #expect(try both.from.open().text("alpha") == "5")
    #expect(try both.from.open().facts().serial > moved.serial)
    #expect(code { _ = try both.to.open() } == .moved)
    let serial = try both.from.open().facts().serial
    let again = try await both.back().move()
    #expect(try both.from.open().facts().serial == serial, "it is there already")
    #expect(again.digest == nil && again.facts.serial == serial)
    #expect(try again.marked == both.to.everything().header.serial)
  }

  @Test("leaves a store that keeps its promises", arguments: RecordStoreContract.promises, Way.usual)
  func contract(_ promise: RecordStoreContract.Promise, way: Way) async throws {
    let (from, to) = (try Scratch(way.from), try Scratch(way.to))
    let there = try Scratch(way.to, identity: from.identity)
    _ = try from.create()
    let move = StoreMove(
      from: from.location, to: there.location, identities: [from.identity], names: ("here", "there"))
    _ = try await move.carryOut(command: "move", job: nil, since: Moment(seconds: 1500), timeout: .zero)
    try promise.check(.init(try there.open(.writing), reopened: { try there.open(.writing) }))
    withExtendedLifetime(to) {}
  }

  private static let cut = StoreError(.io, "The power is gone.")

  @Test(
    "that was cut off is taken up again, and until then one place answers", arguments: StoreMove.Stage.allCases,
    Way.usual)
  func resumed(stage: StoreMove.Stage, way: Way) async throws {
    let both = try Both(way)
    let error = await #expect(throws: StoreError.self) {
      try await both.move { reached throws(StoreError) in if reached == stage { throw Self.cut } }
    }
    #expect(error?.code == .io)
    let isMarked = [.marked, .done].contains(stage)
    var last = "3"
    if isMarked {
      #expect(code { _ = try both.from.open() } == .moved)
    } else {
      // It goes on where it is, and what is written meanwhile comes along.
      last = "6"
      try both.from.open(.writing).put(["alpha": last])
    }
    if stage == .done {
      #expect(try both.to.open().text("alpha") == last)
    } else {
      let half = #expect(throws: StoreError.self) { try both.to.open() }
      #expect(half?.code == .moved && half?.detail.contains("from the old place") == true)
    }
    let outcome = try await both.move()
    #expect(try both.to.open().text("alpha") == last)
    #expect(code { _ = try both.from.open() } == .moved)
    #expect(try outcome.facts == both.to.open().facts())
    #expect(try outcome.marked == both.from.everything().header.serial)
    // Once more says nothing else.
    let serial = try both.to.open().facts().serial
    try await both.move()
    #expect(try both.to.open().facts().serial == serial)
  }

  @Test(
    "notices any row that is changed, added or taken away on the way", arguments: Way.usual,
    [
      (
        file: """
        UPDATE TABLE SET sealed = CAST(CASE substr(sealed, 1, 1) WHEN X'00' THEN X'01' ELSE X'00' END \
        || substr(sealed, 2) AS BLOB) WHERE id = FIRST
        """,
        server: "UPDATE TABLE SET sealed = set_byte(sealed, 7, get_byte(sealed, 7) # 1) WHERE id = FIRST"
      ),
      (file: "DELETE FROM TABLE WHERE id = FIRST", server: "DELETE FROM TABLE WHERE id = FIRST"),
      (
        file:
          "INSERT INTO TABLE SELECT X'0102030405060708090a0b0c0d0e0f10', epoch, algorithm, sealed FROM TABLE WHERE id = FIRST",
        server:
          "INSERT INTO TABLE SELECT store, '\\x0102030405060708090a0b0c0d0e0f10', epoch, algorithm, sealed FROM TABLE WHERE id = FIRST"
      ),
    ])
  func tampered(way: Way, attack: (file: String, server: String)) async throws {
    for table in ["records", "secrets"] {
      for stage in [StoreMove.Stage.copied, .marked] {
        let both = try Both(way)
        let isFile = way.to == .file
        let whole = isFile ? table : "keyplan.\(table)"
        let mine = isFile ? "" : " WHERE store = (SELECT id FROM keyplan.stores WHERE project = $1)"
        let sql = (isFile ? attack.file : attack.server).replacing(
          "FIRST", with: "(SELECT id FROM TABLE\(mine) ORDER BY id LIMIT 1)"
        )
        .replacing("TABLE", with: whole)
        let error = await #expect(throws: StoreError.self) {
          try await both.move { reached throws(StoreError) in
            guard reached == stage else { return }
            do { try both.to.attack(sql) } catch { throw Self.cut }
          }
        }
        #expect(error?.code == .tampered, "\(table) \(stage)")
        if stage == .copied {
          #expect(try both.from.open().text("alpha") == "3")
          try await both.move()
          #expect(try both.to.open().text("alpha") == "3")
        } else {
          // The old place was left already, and has what is right: the next move copies it once more.
          #expect(code { _ = try both.to.open() } == .moved)
          try await both.move()
          #expect(try both.to.open().text("alpha") == "3" && both.to.open().text("beta") == "2")
        }
      }
    }
  }

  @Test("goes nowhere where another store is, or a copy of this one in use", arguments: Scratch.kinds)
  func refused(kind: Scratch.Kind) async throws {
    let both = try Both(Way(from: .file, to: kind))
    _ = try both.to.create()
    let serial = try both.to.open().facts().serial
    let error = await #expect(throws: StoreError.self) { try await both.move() }
    #expect(error?.code == .exists && error?.detail.contains("another store") == true)
    #expect(try both.to.open().facts().serial == serial)
    #expect(try both.from.open().text("alpha") == "3")

    let copied = try Both(Way(from: .file, to: .file))
    try FileManager.default.createDirectory(
      atPath: copied.to.directory + "/.keyplan", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try copied.to.write(copied.from.bytes())
    let twice = await #expect(throws: StoreError.self) { try await copied.move() }
    #expect(twice?.code == .exists && twice?.detail.contains("copy of this store") == true)
  }

  @Test("goes under another name on a server only into another schema", needsServer)
  func renamed() async throws {
    let both = try Both(Way(from: .server, to: .server))
    let error = await #expect(throws: StoreError.self) { try await both.move() }
    #expect(error?.code == .exists && error?.hint?.contains("schema=NAME") == true)
    let schema = SharedStore(try Scratch.address(both.to.application, "schema=renamed"))
    let move = StoreMove(
      from: both.from.location, to: .shared(schema), identities: [both.from.identity], names: ("here", "there"))
    _ = try await move.carryOut(command: "move", job: nil, since: Moment(seconds: 3000), timeout: .zero)
    let there = try SealedStore.open(at: .shared(schema), identities: [both.from.identity], access: .reading)
    #expect(try there.text("alpha") == "3")
  }

  @Test("waits for nobody's lock longer than one says, at either end or of an account", arguments: Way.usual)
  func locked(way: Way) async throws {
    let both = try Both(way)
    let account = try #require(Identifier<Account>("work"))
    let store = try both.from.open(.writing)
    try store.commit([.account(account, Self.account, tokens: nil)])
    do {
      let lock = try await StoreLock.acquire(for: both.from.elsewhere, command: "apply", since: Moment(seconds: 1))
      await Self.expectLocked { try await both.move() }
      withExtendedLifetime(lock) {}
    }
    do {
      let lock = try await StoreLock.acquire(
        account: account, of: both.from.elsewhere, command: "calendar", since: Moment(seconds: 1))
      await Self.expectLocked { try await both.move() }
      withExtendedLifetime(lock) {}
    }
    await #expect(throws: StoreError.self) {
      try await both.move { stage throws(StoreError) in if stage == .begun { throw Self.cut } }
    }
    do {
      let lock = try await StoreLock.acquire(for: both.to.elsewhere, command: "apply", since: Moment(seconds: 1))
      await Self.expectLocked { try await both.move() }
      withExtendedLifetime(lock) {}
    }
    #expect(try both.from.open().text("alpha") == "3")
    try await both.move()
  }

  private static let account = AccountRecord(
    revision: 1, facts: AccountFacts(service: .caldav, account: "me", url: "https://example.com"))

  private static func expectLocked(_ body: () async throws -> Void) async {
    let error = await #expect(throws: StoreError.self) { try await body() }
    #expect(error?.code == .locked)
  }

  @Test(
    "leaves a mark that says where and when",
    arguments: [
      (format: "kp1", mark: StoreMark.here),
      ("kp1-arriving 0123 /a b.db", .arriving("0123", from: "/a b.db")),
      (
        "kp1-moved 0123 2023-11-14T22:13:20Z /a b.db", .moved("0123", to: "/a b.db", at: Moment(seconds: 1_700_000_000))
      ),
      (
        "kp1-moved 0123 2023-11-14T22:13:20Z postgres://h/d (p/default)",
        .moved("0123", to: "postgres://h/d (p/default)", at: Moment(seconds: 1_700_000_000))
      ),
    ])
  func mark(format: String, mark: StoreMark) throws {
    let header = Header(
      format: format, store: [], serial: 0, epoch: 0, count: 0, buckets: [], root: [], keyring: [:])
    #expect(StoreMark(header) == mark && mark.format == format)
  }

  @Test("goes in portions where there is much", arguments: Way.usual)
  func portions(way: Way) async throws {
    let both = try Both(way)
    let long = String(repeating: "v", count: 60_000)
    try both.from.open(.writing).put(Dictionary(uniqueKeysWithValues: (0..<150).map { ("long-\($0)", long) }))
    let before = try both.from.everything()
    let portions = Mutex(0)
    try await both.move { stage throws(StoreError) in
      if stage == .partlyCopied { portions.withLock { (count: inout Int) in count += 1 } }
    }
    #expect(portions.withLock { $0 } > 2)
    #expect(try both.to.everything().values == before.values)
    #expect(try both.to.open().text("long-149") == long)
  }
}
