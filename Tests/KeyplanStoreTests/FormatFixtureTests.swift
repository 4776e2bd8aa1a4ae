import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanStore

/// A store and a backup of each format that was ever released, with every kind of record and every field: all later versions open them.
///
/// `KEYPLAN_TEST_RECORD=store-format` makes those of the current format, where there are none yet. None is ever made anew once it was
/// released.
@Suite("A store of a released format")
struct FormatFixtureTests {
  static let formats = ["store-1"]

  @Test("is read as it was written, to the last value", arguments: formats)
  func read(_ format: String) throws {
    let fixture = try FormatFixture(format)
    #expect(try StoreListing(fixture.scratch.open()).text == fixture.listing)
    let undone = try MoveUndoing(at: fixture.scratch.location, identities: [fixture.scratch.identity]).undone()
    #expect(undone?.move == UndoneMove(place: "the lost place", at: Moment(seconds: 1_800_006_200)))
  }

  @Test("is written, gets a fresh root key and moves to another place, and keeps everything", arguments: formats)
  func goesOn(_ format: String) async throws {
    let fixture = try FormatFixture(format)
    let before = try StoreListing(fixture.scratch.open())
    try fixture.scratch.open(.writing).put(["later": "value"], at: 1_800_010_000)
    let store = try fixture.scratch.open(.writing)
    try store.commit([.recipients(try store.recorded().recipients, freshRoot: true)], at: 1_800_010_001)
    let to = try Scratch(identity: fixture.scratch.identity)
    let move = StoreMove(
      from: fixture.scratch.location, to: to.location, identities: [to.identity], names: ("the old place", "the new"))
    _ = try await move.carryOut(
      command: "store move", job: nil, since: Moment(seconds: 1_800_011_000), timeout: .zero)
    // Fingerprints are others under a fresh root key; values are not.
    func facts(_ listing: StoreListing) -> [String] {
      listing.body.map { $0.replacing(/\b[0-9a-f]{32}\b/, with: "FINGERPRINT") }
    }
    let after = try to.open()
    #expect(try after.text("later") == "value")
    try to.open(.writing).commit([.purge(name("later"), isAll: true)], at: 1_800_012_000)
    #expect(try facts(StoreListing(to.open())) == facts(before))
  }

  @Test("is not touched by being read", arguments: formats)
  func untouched(_ format: String) throws {
    let fixture = try FormatFixture(format)
    let before = try fixture.scratch.bytes()
    _ = try StoreListing(fixture.scratch.open())
    #expect(try fixture.scratch.bytes() == before)
  }

  @Test("is restored from its backup, to the last value", arguments: formats)
  func restored(_ format: String) throws {
    let fixture = try FormatFixture(format)
    let backup = try StoreBackup(file: fixture.backup, identities: [fixture.scratch.identity])
    let store = try fixture.scratch.open()
    #expect(try backup.store == store.facts().id && backup.rootID == store.facts().rootID)
    #expect(try backup.count == fixture.scratch.everything().records.count)
    for (key, value) in backup.currentValues {
      #expect(try store.text(key.name) == value.withBytes { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// What the current version can write must be in the fixture, so that the fixture of the next format gets it, too.
  @Test("has every field of every kind of record")
  func fields() throws {
    let fixture = try FormatFixture(try #require(Self.formats.last))
    let sealer = Sealer(keys: try fixture.scratch.keys())
    var found: [String: Set<UInt64>] = [:]
    for row in try fixture.scratch.everything().records {
      let bytes = try sealer.open(record: row)
      let kind = "\(try StoredRecord(decoding: bytes).kind)"
      for number in try numbers(bytes.dropFirst(2)) { found[kind, default: []].insert(number) }
    }
    #expect(
      found == [
        "state": Set(1...17), "slot": Set(1...4), "target": Set(1...6).union([8]), "account": Set(1...13),
        "key": Set(1...16).union([18, 19, 21, 22, 23]), "forgotten": [1, 2, 3, 5, 10, 12, 17],
      ])
  }

  private func numbers(_ bytes: ArraySlice<UInt8>) throws -> [UInt64] {
    var reader = ByteReader(Array(bytes))
    var numbers: [UInt64] = []
    while !reader.isAtEnd {
      numbers.append(try reader.unsigned())
      _ = try reader.raw(Int(try reader.unsigned()))
    }
    return numbers
  }
}

/// A kept store in a place of its own.
struct FormatFixture {
  let scratch: Scratch
  let listing: String
  let backup: [UInt8]

  static let isRecording = ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] == "store-format"

  static func folder(_ format: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(format)").path
  }

  init(_ format: String) throws {
    let folder = Self.folder(format)
    let text = try String(contentsOfFile: folder + "/identity.txt", encoding: .utf8)
    scratch = try Scratch(identity: Identity(parsing: Secret(Array(text.utf8))))
    listing = try String(contentsOfFile: folder + "/listing.txt", encoding: .utf8)
    backup = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/backup.age")))
    let directory = scratch.directory + "/.keyplan"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    chmod(directory, 0o700)
    try scratch.write([UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/store.db"))))
  }
}

/// Makes the fixture of the current format.
@Suite(
  "The fixture of the current format",
  .enabled(if: FormatFixture.isRecording, "SKIPPED: it records, by KEYPLAN_TEST_RECORD"))
struct FormatRecording {
  @Test("is recorded once")
  func record() async throws {
    let format = try #require(FormatFixtureTests.formats.last)
    let folder = FormatFixture.folder(format)
    try #require(!FileManager.default.fileExists(atPath: folder))
    let scratch = try await Self.filled()
    let listing = try StoreListing(scratch.open()).text
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(scratch.bytes()).write(to: URL(fileURLWithPath: folder + "/store.db"))
    try Data(try scratch.identity.exported().withBytes { Array($0) })
      .write(to: URL(fileURLWithPath: folder + "/identity.txt"))
    try Data(listing.utf8).write(to: URL(fileURLWithPath: folder + "/listing.txt"))
    let backup = try StoreBackup.file(
      of: scratch.location, identities: [scratch.identity], to: [], at: Moment(seconds: 1_800_007_000))
    try Data(backup.file).write(to: URL(fileURLWithPath: folder + "/backup.age"))
  }

  /// A store with every kind of record, and every field of each, that was re-keyed once and moved twice, the second time back.
  static func filled() async throws -> Scratch {
    let (old, new) = (try Scratch(), try Scratch())
    let first = try Scratch(identity: new.identity)
    let store = try first.create()
    let planner = Recipient(publicKey: old.identity.recipient.description, role: .plan)
    try store.commit([.recipients(first.recipients.merging([name("ci"): planner]) { $1 }, freshRoot: false)])
    try keys(store)
    try store.commit(
      [.recipients(try store.recorded().recipients, freshRoot: true, leaving: [name("former")])], at: 1_800_003_000)
    try places(store)
    try accounts(store)
    try issued(store)
    let move = StoreMove(
      from: first.location, to: new.location, identities: [new.identity], names: ("the old place", "the new place"))
    _ = try await move.carryOut(
      command: "store move", job: nil, since: Moment(seconds: 1_800_005_000), timeout: .zero)
    let moved = try new.open(.writing)
    try moved.put(["after-move": "stored where it came to"], at: 1_800_006_000)
    try await Self.undo(new)
    return new
  }

  /// Moves the store to a place where it is lost, and undoes that.
  private static func undo(_ scratch: Scratch) async throws {
    let lost = try Scratch(identity: scratch.identity)
    let move = StoreMove(
      from: scratch.location, to: lost.location, identities: [scratch.identity],
      names: ("the new place", "the lost place"))
    _ = try await move.carryOut(
      command: "store move", job: nil, since: Moment(seconds: 1_800_006_100), timeout: .zero)
    let undoing = MoveUndoing(at: scratch.location, identities: [scratch.identity])
    _ = try await undoing.carryOut(
      try #require(try undoing.left()), command: "store move", job: nil, since: Moment(seconds: 1_800_006_200),
      timeout: .zero, tellFreshRoot: { _ throws(StoreError) in })
  }

  private static func keys(_ store: SealedStore) throws {
    for number in 1...8 { try store.put(["long-history": "value \(number)"], at: 1_800_000_000 + Int64(number)) }
    try store.put(
      ["plain": "x", "empty": "", "unicode": "schlüssel 🔑", "large": String(repeating: "0123456789", count: 2_000)],
      at: 1_800_001_000)
    let full: Identifier<Key> = name("full")
    try store.put(["full": "old", "rolled": "good"], at: 1_800_001_000)
    try store.put(["full": "new", "rolled": "bad"], at: 1_800_001_100)
    var record = try #require(try store.recorded().keys[full])
    record.facts = KeyFacts(
      provider: "weather", model: "m-1", variable: "WEATHER_KEY", ownsVariable: true,
      expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire), issued: Moment(seconds: 1_799_000_000),
      sources: ["env://A", "dotenv://.env#B"], isProtected: true, labels: ["team": "ops", "ä": "ö"])
    record.version.issuedAt = record.facts.issued
    record.retiredAt = Moment(seconds: 1_800_001_500)
    record.rejected = store.fingerprint(secret("rejected, and kept nowhere"), of: full)
    record.trackedContent = "0123456789abcdef0123456789abcdef"
    record.refusal = KeyCheck(.invalid, at: Moment(seconds: 1_800_001_400), expires: nil)
    record.revision = try store.facts().serial + 1
    try store.commit([.key(full, record, value: nil)])
    let rolled = try #require(try store.recorded().keys[name("rolled")])
    let rollback = KeyRollback(to: 1, was: 2, rejected: rolled.version.fingerprint)
    try store.commit([.key(name("rolled"), try #require(rolled.rolledBack(rollback, revision: 20)), value: nil)])
    var dated = try #require(try store.recorded().keys[name("plain")])
    dated.facts = KeyFacts(
      provider: "generic", expiry: Expiry(.on(Moment(seconds: 1_900_000_000)), warn: .days(7), then: .warn))
    try store.commit([.key(name("plain"), dated, value: nil)])
    try store.put(["gone": "forgotten once"], at: 1_800_002_000)
    try store.commit([.forget(name("gone"))], at: 1_800_002_100)
    try store.put(["gone": "forgotten twice"], at: 1_800_002_200)
    try store.commit([.forget(name("gone"))], at: 1_800_002_300)
    try store.put(["before": "moved value"], at: 1_800_002_400)
    try store.commit([.move(name("before"), to: name("renamed")), .migrated("move before renamed")], at: 1_800_002_500)
  }

  private static func places(_ store: SealedStore) throws {
    let at: Int64 = 1_800_004_000
    let (plain, unicode): (Identifier<Key>, Identifier<Key>) = (name("plain"), name("unicode"))
    func entry(_ key: Identifier<Key>, _ text: String) -> TargetRecord.Entry {
      TargetRecord.Entry(
        key: key, fingerprint: store.fingerprint(secret(text), of: key), syncedAt: Moment(seconds: at),
        mark: Mark("mark of \(text)"), kept: key == unicode ? Mark("left there") : nil)
    }
    let outside = ExternalAccess(.path, "/srv/app/.env")
    let far = Destination(type: "dotenv", location: "/srv/app/.env", surface: outside)
    let near = Destination(type: "json", location: "config/app.json")
    try store.commit(
      [
        .allow(outside, []),
        .allow(ExternalAccess(.command, "op read op://team/key"), ["variable OP_TOKEN", "timeout 30s"]),
        .guards(
          Guards(
            demands: [
              .init(rule: "fresh", keys: nil, words: "younger than 90 days"),
              .init(rule: "few", keys: [plain, unicode], words: "not from env"),
            ], waivers: ["target.far takes over"])),
        .hook(name("far"), isDue: true),
        .failure(
          .target(name("far")), StepError(since: Moment(seconds: 1_800_000_500), reason: "The host does not answer.")),
        .mint(
          name("lost"),
          MintAttempt(
            place: near, label: "keyplan/x/lost/7", known: ["id-1"], lost: ["id-2"], began: Moment(seconds: at))),
        .mint(
          name("appeared"),
          MintAttempt(place: near, label: "", began: Moment(seconds: at), unexplained: ["id-3"])),
        .mint(
          name("late"),
          MintAttempt(
            place: near, label: "keyplan/x/late/8", began: Moment(seconds: at),
            late: ["keyplan/x/late/7", "keyplan/x/late/8"])),
        .applied(AppliedPlan(id: "kp1-first", at: Moment(seconds: at))),
        .applied(AppliedPlan(id: "kp1-second", at: Moment(seconds: at + 1))),
        .allow(ExternalAccess(.host, "dav.example"), []),
        .slot(name("assistant"), SlotRecord(revision: 40, key: plain, since: Moment(seconds: at))),
        .slot(name("weather"), SlotRecord(revision: 40, key: unicode, since: Moment(seconds: at))),
        .target(
          name("far"),
          TargetRecord(
            revision: 41, destination: far, entries: ["PLAIN": entry(plain, "x"), "Ü": entry(unicode, "changed there")])
        ),
        .target(
          name("near"),
          TargetRecord(revision: 41, destination: near, entries: ["/a/b": entry(plain, "x")], placeId: "4711")),
        .attempt(name("far"), WriteAttempt(destination: far, names: ["NEW": plain, "OTHER": unicode])),
        .attempt(name("lost"), WriteAttempt(destination: near, names: ["A": plain])),
        .began(.target(name("far"))), .began(.migration(3)), .began(.calendar(name("work"))),
        .began(.surface(ExternalAccess(.command, "op read op://team/key"))), .migrated("adopt one"),
        .migrated("adopt two"),
      ], at: at)
  }

  private static func accounts(_ store: SealedStore) throws {
    let home: Identifier<Account> = name("home")
    let full = SignInRecord(
      signedInAt: Moment(seconds: 1_800_000_001), refreshedAt: Moment(seconds: 1_800_000_002),
      access: .until(Moment(seconds: 1_800_000_003)), isRefreshable: true, isTesting: true, missing: ["scope a", "b"],
      endsAt: Moment(seconds: 1_800_000_004), epoch: 7, refreshBegan: Moment(seconds: 1_800_000_005),
      unanswered: Moment(seconds: 1_800_000_006),
      ended: AccountEnd(.rotationLost, code: "invalid_grant", at: Moment(seconds: 1_800_000_007)),
      adopted: store.fingerprint(secret("taken over"), of: home), refreshAt: Moment(seconds: 1_800_000_008))
    let facts = AccountFacts(
      service: .outlook, account: "ada@example.com", client: "6731de76", tenant: "example.com",
      endpoints: [.token: "https://t.example/token", .api: "https://t.example/api"])
    let bare = SignInRecord(
      signedInAt: Moment(seconds: 1_800_000_009), access: .unlimited, isRefreshable: false)
    try store.commit(
      [
        .account(
          home,
          AccountRecord(
            revision: 50, facts: facts, calendar: AccountCalendar(id: "c1", name: "Tëam", isPrimary: true),
            signIn: full,
            refusal: AccountRefusal(
              .secretExpired, code: "invalid_client, AADSTS7000222", since: Moment(seconds: 1_800_000_010))
          ), tokens: AccountTokens(access: secret("access of home"), refresh: secret("refresh of home"))),
        .account(
          name("work"),
          AccountRecord(
            revision: 50, facts: AccountFacts(service: .google, account: "ada@example.org", client: "id"), signIn: bare),
          tokens: AccountTokens(access: secret("access of work"), refresh: nil)),
        .account(
          name("dav"),
          AccountRecord(
            revision: 50, facts: AccountFacts(service: .caldav, account: "ada", url: "https://dav.example/")),
          tokens: nil),
      ], at: 1_800_004_500)
  }

  /// Keys that were made at a provider, revoked, checked, or are for some recipients only.
  private static func issued(_ store: SealedStore) throws {
    let place = Destination(type: "openai-keys", location: "proj_1", surface: ExternalAccess(.host, "api.openai.com"))
    try store.put(["made": "first", "leaked": "bad", "ours": "for one"], at: 1_800_004_600)
    var made = try #require(try store.recorded().keys[name("made")])
    made.issued = [
      IssuedKey(
        id: "id-4", label: "keyplan/x/made/1", place: place, version: 1, mintedAt: Moment(seconds: 1_800_004_600),
        expires: Moment(seconds: 1_810_000_000), renewedAt: Moment(seconds: 1_800_004_601), isEnding: true,
        disabledAt: Moment(seconds: 1_800_004_602))
    ]
    let value = secret("second")
    let key: Identifier<Key> = name("made")
    made.pending = KeyVersion(
      number: 2, fingerprint: store.fingerprint(value, of: key), storedAt: Moment(seconds: 1_800_004_603),
      origin: "openai-keys",
      check: KeyCheck(.valid, at: Moment(seconds: 1_800_004_604), expires: Moment(seconds: 1_810_000_001)))
    made.facts = KeyFacts(
      provider: "openai", expiry: Expiry(.after(.days(30)), warn: .days(3), then: .rotate, overlap: .days(1)))
    try store.commit([.key(key, made, value: value)], at: 1_800_004_603)
    let leaked = try #require(try store.recorded().keys[name("leaked")])
    try store.commit(
      [
        .key(
          name("leaked"), leaked.revoking(reason: "in a log", revision: 60, at: Moment(seconds: 1_800_004_605)),
          value: nil)
      ], at: 1_800_004_605)
    var ours = try #require(try store.recorded().keys[name("ours")])
    ours.version.missedFormat = "sk-[a-z]{20}"
    ours.facts = KeyFacts(provider: "generic", sources: ["env://ours"], recipients: [name("me")])
    try store.commit([.key(name("ours"), ours, value: nil)], at: 1_800_004_606)
  }
}
