import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanStore

/// Whoever runs the server decides what its tables show, also without end.
@Suite("A store on a server that shows more than there is", needsServer, .serialized)
struct EndlessServerTests {
  private let server: PostgresServer
  private let scratch: Scratch

  init() throws {
    server = try PostgresServer()
    scratch = try Scratch(.server, on: server)
    try scratch.create().put(["a": "1", "b": "2"])
  }

  private func attack(_ statements: String...) throws {
    for statement in statements {
      try #require(scratch.shared).session.run([PostgresStatement(statement)], doing: .writing) { _ in }
    }
  }

  /// Puts a view in the place of a table.
  private func show(_ table: String, _ more: String) throws {
    try attack(
      "ALTER TABLE keyplan.\(table) RENAME TO \(table)_kept",
      "CREATE VIEW keyplan.\(table) AS SELECT * FROM keyplan.\(table)_kept \(more)")
  }

  private static func generated(_ sealed: String, _ count: Int) -> String {
    """
    UNION ALL SELECT (SELECT id FROM keyplan.stores LIMIT 1), decode(md5(n::text), 'hex'), 1::bigint, 1::bigint, \(sealed) \
    FROM generate_series(1, \(count)) n
    """
  }

  @Test(
    "is refused without reading all of it",
    arguments: [
      (label: "rows without end", table: "records", more: generated("'\\x00'::bytea", 200_000)),
      (label: "rows of 100 MB", table: "records", more: generated("convert_to(repeat('x', 100000000), 'UTF8')", 3)),
      (label: "values without end", table: "secrets", more: generated("'\\x00'::bytea", 200_000)),
      (label: "values of 100 MB", table: "secrets", more: generated("convert_to(repeat('x', 100000000), 'UTF8')", 8)),
    ])
  func endless(_ attacked: (label: String, table: String, more: String)) throws {
    let store = try scratch.open()
    try show(attacked.table, attacked.more)
    // The state and two keys: one row more than these is read, and no more values than these can have.
    let rows = PostgresRows(try #require(scratch.shared).session, .reading)
    let isLarge = attacked.label.hasSuffix("MB")
    if isLarge {
      #expect(code { _ = try rows.everything(atMost: 3) } != nil, "\(attacked.label)")
    } else {
      let whole = try rows.everything(atMost: 3)
      #expect(whole.records.count <= 4 && whole.values.count <= 40, "\(attacked.label)")
    }
    if attacked.table == "records" {
      #expect(try rows.opening(wanting: .all).records == nil, "\(attacked.label)")
      #expect(try isLarge || rows.read(.all, atMost: 3).rows.count == 4, "\(attacked.label)")
      #expect(code { _ = try store.recorded() } != nil, "\(attacked.label)")
    } else {
      let many = (0..<40).compactMap { RowID([UInt8](repeating: UInt8($0), count: 16)) }
      #expect(try rows.values(many).count <= 41)
    }
    #expect(
      code {
        _ = try StoreBackup.file(of: scratch.location, identities: [scratch.identity], to: [], at: Moment(seconds: 9))
      } != nil, "\(attacked.label)")
    // Values that belong to no record are ignored, and bounded.
    let isIgnored = attacked.table == "secrets" && !isLarge
    #expect(
      isIgnored || code { _ = try store.copy(to: scratch.directory + "/copy/store.db") } != nil, "\(attacked.label)")
  }

  @Test("is read with records that were added since it was opened")
  func added() throws {
    let store = try scratch.open()
    #expect(try store.recorded().keys.count == 2)
    let many = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key-\($0)", "\($0)") })
    try scratch.open(.writing).put(many)
    #expect(try store.recorded().keys.count == 52)
    #expect(try store.text("key-7") == "7")
    #expect(try store.copy(to: scratch.directory + "/copy/store.db").serial == store.facts().serial)
  }

  @Test("shows one header, keyring and lock, however many it has")
  func doubled() throws {
    try attack(
      "ALTER TABLE keyplan.stores RENAME TO stores_kept",
      "CREATE VIEW keyplan.stores AS SELECT s.* FROM keyplan.stores_kept s, generate_series(1, 300000)")
    #expect(try scratch.open().facts().serial == 2)
  }
}
