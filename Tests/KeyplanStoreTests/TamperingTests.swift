import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanStore

@Suite("A store in the hands of somebody without the key")
struct TamperingTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.create().fill()
  }

  /// Runs SQL as an attacker would, who has the file and SQLite and no key.
  private func attack(_ statements: String...) throws {
    var database = try Database(scratch.path, writing: true)
    for statement in statements { try database.run(statement) }
  }

  @Test("is refused or reads the same with any one byte changed", arguments: 0..<4)
  func everyByte(part: Int) throws {
    // Opening the age file 30,000 times would test age; so the keyring is opened once, if its bytes are what they were.
    let whole = try scratch.open().content()
    let file = try #require(
      try SQLiteRows.open(scratch.path, writing: false).header().keyring[Keyring.fullSlot])
    let keys = try scratch.keys()
    let original = try scratch.bytes()
    let isThorough = ProcessInfo.processInfo.environment["KEYPLAN_TEST_FAULTS"] == "all"
    let refusals: Set<StoreError.Code> = [.tampered, .damaged, .newerVersion, .noStore, .io]
    var refused = 0
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path))
    for index in stride(from: part, to: original.count, by: 4) {
      // In the file's own header every bit means something; elsewhere one bit stands for its byte, but in `make torture`.
      let masks: [UInt8] = isThorough ? (0..<8).map { 1 << $0 } : [1 << UInt8(index / 4 % 8)]
      for mask in index < 100 ? [0x01, 0x02, 0x03, 0xff] : masks {
        try handle.seek(toOffset: UInt64(index))
        try handle.write(contentsOf: [original[index] ^ mask])
        do {
          let store = try SealedStore.open(at: scratch.location, access: .reading) { header throws(StoreError) in
            guard header.keyring[Keyring.fullSlot] == file else { throw Sealer.tampered }
            guard StoreMark(header) == .here else { throw Sealer.tampered }
            return keys
          }
          if try store.content() != whole { Issue.record("byte \(index) changes what is read") }
        } catch let error as StoreError {
          if !refusals.contains(error.code) { Issue.record("byte \(index): \(error)") }
          refused += 1
        }
      }
      try handle.seek(toOffset: UInt64(index))
      try handle.write(contentsOf: [original[index]])
    }
    #expect(refused > 1000)
    #expect(try scratch.open().content() == whole)
    #expect(try scratch.files() == ["store.db"])
  }

  @Test(
    "is refused when rows are moved, taken away or added",
    arguments: [
      (label: "a record deleted", sql: "DELETE FROM records WHERE id = (SELECT min(id) FROM records)"),
      (label: "all records deleted", sql: "DELETE FROM records"),
      (
        label: "a record added",
        sql: "INSERT INTO records SELECT randomblob(16), epoch, algorithm, sealed FROM records LIMIT 1"
      ),
      (
        label: "a record replaced by another",
        sql: "UPDATE records SET sealed = (SELECT sealed FROM records ORDER BY id DESC LIMIT 1)"
      ),
      (
        label: "a record's id changed",
        sql: "UPDATE records SET id = randomblob(16) WHERE id = (SELECT min(id) FROM records)"
      ),
      (label: "another epoch", sql: "UPDATE records SET epoch = 2"),
      (label: "another algorithm", sql: "UPDATE records SET algorithm = 0"),
      (label: "an older serial", sql: "UPDATE store SET serial = serial - 1"),
      (label: "a header of another epoch", sql: "UPDATE store SET epoch = 2"),
      (label: "another store's id", sql: "UPDATE store SET id = randomblob(16)"),
      (label: "another count", sql: "UPDATE store SET count = count - 1"),
      (label: "another bucket", sql: "UPDATE store SET buckets = zeroblob(4096)"),
      (label: "too few buckets", sql: "UPDATE store SET buckets = x''"),
      (label: "no root", sql: "UPDATE store SET root = x''"),
      (label: "a slot added to the keyring", sql: "INSERT INTO keyring VALUES ('plan', x'00')"),
      (label: "a keyring changed", sql: "UPDATE keyring SET file = CAST(file || x'00' AS BLOB)"),
      (label: "values deleted", sql: "DELETE FROM secrets"),
      (
        label: "values exchanged",
        sql: "UPDATE secrets SET sealed = (SELECT sealed FROM secrets ORDER BY id DESC LIMIT 1)"
      ),
      (label: "values cut", sql: "UPDATE secrets SET sealed = substr(sealed, 1, 47)"),
      (label: "values emptied", sql: "UPDATE secrets SET sealed = x''"),
      (label: "values of another epoch", sql: "UPDATE secrets SET epoch = 2"),
      (label: "values of another algorithm", sql: "UPDATE secrets SET algorithm = 1"),
      (label: "a trigger", sql: "CREATE TRIGGER t AFTER UPDATE ON store BEGIN DELETE FROM records; END"),
      (label: "a view", sql: "CREATE VIEW v AS SELECT 1"),
      (label: "another table", sql: "CREATE TABLE other (x)"),
    ])
  func rows(_ attacked: (label: String, sql: String)) throws {
    try attack(attacked.sql)
    #expect(code { _ = try scratch.open().content() } == .tampered, "\(attacked.label)")
  }

  @Test(
    "is refused as damaged, or as newer, when the file is not what its version says",
    arguments: [
      (label: "no header", sql: "DELETE FROM store", code: StoreError.Code.damaged),
      (label: "no keyring", sql: "DELETE FROM keyring", code: .damaged),
      (
        label: "an id that is too short", sql: "UPDATE records SET id = x'00' WHERE id = (SELECT min(id) FROM records)",
        code: .damaged
      ),
      (label: "a later schema", sql: "PRAGMA user_version = 2", code: .newerVersion),
      (label: "another application", sql: "PRAGMA application_id = 7", code: .damaged),
      (label: "a later format", sql: "UPDATE store SET format = 'kp2'", code: .newerVersion),
      (label: "a weaker format", sql: "UPDATE store SET format = 'plain'", code: .newerVersion),
      (label: "write-ahead logging", sql: "PRAGMA journal_mode = WAL", code: .damaged),
    ])
  func versions(_ attacked: (label: String, sql: String, code: StoreError.Code)) throws {
    try attack(attacked.sql)
    #expect(code { _ = try scratch.open().content() } == attacked.code, "\(attacked.label)")
  }

  @Test(
    "says which version reads a later format, if the format does",
    arguments: [
      ("kp2/0.3.0", "Use keyplan 0.3.0 or later."), ("kp2/0.3.0-moved 1 /a", "Use a later version of keyplan."),
      ("kp2/1.12.0 x", "Use keyplan 1.12.0 or later."), ("kp2", "Use a later version of keyplan."),
      ("kp2/\u{1b}[31m", "Use a later version of keyplan."), ("kp2/", "Use a later version of keyplan."),
      ("kp2/1/2", "Use a later version of keyplan."), ("", "Use a later version of keyplan."),
    ])
  func neededVersion(format: String, hint: String) {
    let error = Digest.unknownFormat(format)
    #expect(error.code == .newerVersion)
    #expect(error.hint == hint)
    #expect(!"\(error)".contains("\u{1b}"))
  }

  @Test(
    "refuses rows replayed from an older copy, though each once authenticated",
    arguments: ["records", "secrets", "store"])
  func replay(table: String) throws {
    let older = scratch.directory + "/older.db"
    try Data(try scratch.bytes()).write(to: URL(fileURLWithPath: older))
    try scratch.open(.writing).put(["alpha": "third value of alpha", "beta": "second value of beta"])
    try attack(
      "ATTACH '\(older)' AS older", "DELETE FROM main.\(table)",
      "INSERT INTO main.\(table) SELECT * FROM older.\(table)")
    #expect(code { _ = try scratch.open().content() } == .tampered)
  }

  @Test("is refused with any one byte of a value's row changed: its commitment, its text and its tag")
  func valueBytes() throws {
    let whole = try scratch.open().content()
    let keys = try scratch.keys()
    let original = try scratch.bytes()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path))
    /// What reading everything says with one byte changed.
    func code(_ row: Row, _ index: Int) throws -> StoreError.Code? {
      let start = try #require(original.firstRange(of: row.sealed)?.lowerBound)
      try handle.seek(toOffset: UInt64(start + index))
      try handle.write(contentsOf: [row.sealed[index] ^ (1 << UInt8(index % 8))])
      defer {
        try? handle.seek(toOffset: UInt64(start + index))
        try? handle.write(contentsOf: [row.sealed[index]])
      }
      return KeyplanStoreTests.code {
        _ = try SealedStore.open(at: scratch.location, access: .reading) { _ throws(StoreError) in keys }.content()
      }
    }
    // The other rows have values that are not read here.
    let read = try scratch.everything().values.filter { try code($0, $0.sealed.count - 1) == .tampered }
    #expect(read.count >= 3)
    for row in read {
      for index in row.sealed.indices { #expect(try code(row, index) == .tampered, "byte \(index)") }
    }
    #expect(try scratch.open().content() == whole)
  }

  @Test("refuses a value row put back under the id of its successor")
  func valueReplay() throws {
    // The one attack that the digest does not see: the old ciphertext under the new id, the new salt refuses it.
    var database = try Database(scratch.path, writing: true)
    var sealed: [[UInt8]] = []
    try database.run("SELECT sealed FROM secrets") { row throws(StoreError) in sealed.append(try row.blob(0)) }
    for bytes in sealed {
      try database.run("UPDATE secrets SET sealed = ?", [.blob(bytes)])
      #expect(code { _ = try scratch.open().content() } == .tampered)
    }
  }

  @Test("is refused when it is cut anywhere, or nothing but free bytes are missing")
  func cut() throws {
    let original = try scratch.bytes()
    let whole = try scratch.open().content()
    for count in stride(from: 0, to: original.count, by: 509) {
      try scratch.write(Array(original.prefix(count)))
      do {
        let found = try scratch.open().content()
        #expect(found == whole && original.suffix(from: count).allSatisfy { $0 == 0 }, "\(count) bytes")
      } catch let error as StoreError {
        #expect([.noStore, .damaged, .tampered].contains(error.code), "\(count) bytes: \(error)")
      }
    }
  }

  @Test("cannot be fed to the identity that it is not encrypted to")
  func otherIdentity() throws {
    let other = try Scratch()
    #expect(
      code { _ = try SealedStore.open(at: scratch.location, identities: [other.identity], access: .reading) }
        == .wrongIdentity)
    #expect(code { _ = try SealedStore.open(at: scratch.location, identities: [], access: .reading) } == .wrongIdentity)
  }

  @Test("takes no commit that would seal tampered rows again")
  func commitOnTampered() throws {
    let store = try scratch.open(.writing)
    try attack("DELETE FROM records WHERE id = (SELECT id FROM records LIMIT 1)")
    // So many that one of them lies in the bucket that was attacked.
    let everything = (0..<6000).map {
      RecordChange.slot(name("slot-\($0)"), SlotRecord(revision: 1, key: name("alpha"), since: Moment(seconds: 1)))
    }
    #expect(code { try store.commit(everything) } == .tampered)
  }
}
