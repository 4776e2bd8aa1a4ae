import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import PostgresForTests
import Testing

@testable import KeyplanStore

/// Whether tests that need a server can run; in CI they must.
let needsServer: ConditionTrait = .enabled(
  if: PostgresServer.missing == nil, Comment(rawValue: "SKIPPED: \(PostgresServer.missing ?? "")"))

@Suite("A store on a server, in the hands of its administrator", needsServer)
struct ServerTamperingTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch(.server)
    try scratch.create().fill()
  }

  /// An attack with its words spelled out.
  private func attack(_ sql: String) throws {
    let words = [
      ("FIRST", "(SELECT id FROM keyplan.records WHERE MINE ORDER BY id LIMIT 1)"),
      ("LASTRECORD", "(SELECT sealed FROM keyplan.records WHERE MINE ORDER BY id DESC LIMIT 1)"),
      ("LASTSECRET", "(SELECT sealed FROM keyplan.secrets WHERE MINE ORDER BY id DESC LIMIT 1)"), ("MINE", Self.mine),
    ]
    try scratch.attack(words.reduce(sql) { $0.replacing($1.0, with: $1.1) })
  }

  private static let mine = "store = (SELECT id FROM keyplan.stores WHERE project = $1)"

  @Test("is refused or reads the same with any one byte changed", arguments: 0..<4)
  func everyByte(part: Int) throws {
    let whole = try scratch.open().content()
    let session = try #require(scratch.shared).session
    let file = try #require(try PostgresRows(session, .reading).header().keyring[Keyring.fullSlot])
    let keys = try scratch.keys()
    var refused = 0
    let columns = [
      ("stores", "buckets", "project = $1"), ("stores", "root", "project = $1"), ("stores", "id", "project = $1"),
      ("keyring", "file", Self.mine), ("records", "sealed", Self.mine), ("records", "id", Self.mine),
      ("secrets", "sealed", Self.mine), ("secrets", "id", Self.mine),
    ]
    for (table, column, condition) in columns {
      let sizes = "SELECT length(\(column))::bigint FROM keyplan.\(table) WHERE \(condition) ORDER BY \(column)"
      let lengths = try session.run([PostgresStatement(sizes, [.text(session.address.project)])], doing: .reading) {
        answers throws(PostgresFault) in
        var found: [Int64] = []
        for row in 0..<answers[0].count { found.append(try answers[0].integer(row, 0)) }
        return found
      }
      let before = try saved(table)
      for (row, length) in lengths.enumerated() {
        // Most buckets are zeros, one like the other.
        for index in stride(from: part, to: Int(length), by: column == "buckets" ? 164 : 28) {
          let change = """
            UPDATE keyplan.\(table) SET \(column) = set_byte(\(column), \(index), get_byte(\(column), \(index)) # \
            \(1 << (index / 4 % 8))) WHERE \(condition) AND \(column) = (SELECT \(column) FROM keyplan.\(table) \
            WHERE \(condition) ORDER BY \(column) OFFSET \(row) LIMIT 1)
            """
          try scratch.attack(change)
          do {
            let store = try SealedStore.open(at: scratch.location, access: .reading) { header throws(StoreError) in
              guard header.keyring[Keyring.fullSlot] == file else { throw Sealer.tampered }
              guard StoreMark(header) == .here else { throw Sealer.tampered }
              return keys
            }
            if try store.content() != whole { Issue.record("\(table).\(column) byte \(index) changes what is read") }
          } catch let error as StoreError {
            if ![.tampered, .damaged].contains(error.code) {
              Issue.record("\(table).\(column) byte \(index): \(error)")
            }
            refused += 1
          }
          try restore(table, before)
        }
      }
      try scratch.attack("DROP TABLE public.\(before)")
    }
    #expect(refused > 60)
    #expect(try scratch.open().content() == whole)
  }

  private func saved(_ table: String) throws -> String {
    let copy = "copy_\(scratch.identity.recipient.description.suffix(12))_\(table)"
    let condition = table == "stores" ? "project = $1" : Self.mine
    try scratch.attack("CREATE TABLE public.\(copy) (LIKE keyplan.\(table))")
    try scratch.attack("INSERT INTO public.\(copy) SELECT * FROM keyplan.\(table) WHERE \(condition)")
    return copy
  }

  private func restore(_ table: String, _ copy: String) throws {
    // By the ids that were copied: the row in `stores` may have another one now.
    if table == "stores" {
      try scratch.attack("DELETE FROM keyplan.stores WHERE project = $1")
    } else {
      try scratch.attack("DELETE FROM keyplan.\(table) WHERE \(Self.mine)")
    }
    try scratch.attack("INSERT INTO keyplan.\(table) SELECT * FROM public.\(copy)")
  }

  @Test(
    "is refused when rows are moved, taken away or added",
    arguments: [
      (
        label: "a record deleted",
        sql: "DELETE FROM keyplan.records WHERE MINE AND id = FIRST"
      ),
      (label: "all records deleted", sql: "DELETE FROM keyplan.records WHERE MINE"),
      (
        label: "a record added",
        sql:
          "INSERT INTO keyplan.records SELECT store, decode(md5('x'), 'hex'), epoch, algorithm, sealed FROM keyplan.records WHERE id = FIRST"
      ),
      (
        label: "a record replaced by another",
        sql:
          "UPDATE keyplan.records SET sealed = LASTRECORD WHERE MINE"
      ),
      (
        label: "a record's id changed",
        sql:
          "UPDATE keyplan.records SET id = decode(md5(random()::text), 'hex') WHERE MINE AND id = FIRST"
      ),
      (label: "another epoch", sql: "UPDATE keyplan.records SET epoch = 2 WHERE MINE"),
      (label: "another algorithm", sql: "UPDATE keyplan.records SET algorithm = 0 WHERE MINE"),
      (label: "an older serial", sql: "UPDATE keyplan.stores SET serial = serial - 1 WHERE project = $1"),
      (label: "a header of another epoch", sql: "UPDATE keyplan.stores SET epoch = 2 WHERE project = $1"),
      (label: "another count", sql: "UPDATE keyplan.stores SET count = count - 1 WHERE project = $1"),
      (label: "too few buckets", sql: "UPDATE keyplan.stores SET buckets = '' WHERE project = $1"),
      (label: "no root", sql: "UPDATE keyplan.stores SET root = '' WHERE project = $1"),
      (
        label: "a slot added to the keyring",
        sql: "INSERT INTO keyplan.keyring SELECT id, 'plan', 'x' FROM keyplan.stores WHERE project = $1"
      ),
      (label: "a keyring changed", sql: "UPDATE keyplan.keyring SET file = file || '\\x00' WHERE MINE"),
      (label: "values deleted", sql: "DELETE FROM keyplan.secrets WHERE MINE"),
      (
        label: "values exchanged",
        sql:
          "UPDATE keyplan.secrets SET sealed = LASTSECRET WHERE MINE"
      ),
      (label: "values cut", sql: "UPDATE keyplan.secrets SET sealed = substr(sealed, 1, 47) WHERE MINE"),
      (label: "values emptied", sql: "UPDATE keyplan.secrets SET sealed = '' WHERE MINE"),
      (label: "values of another epoch", sql: "UPDATE keyplan.secrets SET epoch = 2 WHERE MINE"),
      (label: "values of another algorithm", sql: "UPDATE keyplan.secrets SET algorithm = 1 WHERE MINE"),
    ])
  func rows(_ attacked: (label: String, sql: String)) throws {
    try attack(attacked.sql)
    #expect(code { _ = try scratch.open().content() } == .tampered, "\(attacked.label)")
  }

  @Test(
    "is refused as damaged, or as newer, when it is not what its version says",
    arguments: [
      (label: "no keyring", sql: "DELETE FROM keyplan.keyring WHERE MINE", code: StoreError.Code.damaged),
      (
        label: "an id that is too short",
        sql:
          "UPDATE keyplan.records SET id = '\\x00' WHERE MINE AND id = FIRST",
        code: .damaged
      ),
      (
        label: "a later format", sql: "UPDATE keyplan.stores SET format = 'kp2' WHERE project = $1", code: .newerVersion
      ),
      (
        label: "a later format with its version",
        sql: "UPDATE keyplan.stores SET format = 'kp2/0.3.0' WHERE project = $1",
        code: .newerVersion
      ),
      (
        label: "a weaker format", sql: "UPDATE keyplan.stores SET format = 'plain' WHERE project = $1",
        code: .newerVersion
      ),
      (label: "no header", sql: "DELETE FROM keyplan.stores WHERE project = $1", code: .noStore),
    ])
  func versions(_ attacked: (label: String, sql: String, code: StoreError.Code)) throws {
    try attack(attacked.sql)
    #expect(code { _ = try scratch.open().content() } == attacked.code, "\(attacked.label)")
  }

  @Test(
    "refuses rows replayed from an older copy, though each once authenticated",
    arguments: ["records", "secrets", "stores"])
  func replay(table: String) throws {
    let copy = try saved(table)
    try scratch.open(.writing).put(["alpha": "third value of alpha", "beta": "second value of beta"])
    try restore(table, copy)
    try scratch.attack("DROP TABLE public.\(copy)")
    #expect(code { _ = try scratch.open().content() } == .tampered)
  }

  @Test("takes no commit that would seal tampered rows again")
  func commitOnTampered() throws {
    let store = try scratch.open(.writing)
    try scratch.attack("DELETE FROM keyplan.records WHERE \(Self.mine)")
    let everything = (0..<6000).map {
      RecordChange.slot(name("slot-\($0)"), SlotRecord(revision: 1, key: name("alpha"), since: Moment(seconds: 1)))
    }
    #expect(code { try store.commit(everything) } == .tampered)
  }

  @Test("shows no name, no place and no recipient, beside that of the store itself")
  func secrecy() throws {
    let store = try scratch.open(.writing)
    try store.put(["canary-name": "canary-value-93f1b2c4"])
    try store.commit([.allow(ExternalAccess(.command, "canary command"), [])])
    let server = try PostgresServer.shared.get()
    let dump = try server.dump()
    #expect(dump.contains(try #require(scratch.shared).address.project), "the dump is of this database")
    for word in ["canary-name", "canary-value-93f1b2c4", "canary command", scratch.identity.recipient.description] {
      let hex = word.utf8.hexadecimal
      #expect(!dump.contains(word) && !dump.contains(hex), "\(word)")
    }
  }
}
