import KeyplanPorts
import PostgresForTests

@testable import KeyplanStore

extension Scratch {
  /// All rows as they lie.
  func everything() throws -> StoredRows {
    switch elsewhere {
    case .file(let path): try SQLiteRows.open(StoreFile(path).path, writing: false).everything()
    case .shared(let shared): try PostgresRows(shared.session, .reading).everything()
    }
  }

  /// The keys with which this store's identity opens it.
  func keys() throws -> EpochKeys { try EpochKeys.open(try everything().header, with: [identity]) }

  /// The sealed bytes of a table's rows, as whoever has the file or the server sees them.
  func sealed(_ table: String) throws -> [[UInt8]] {
    switch location {
    case .file(let path):
      var database = try Database(path, writing: false)
      var found: [[UInt8]] = []
      try database.run("SELECT sealed FROM \(table)") { row throws(StoreError) in found.append(try row.blob(0)) }
      return found
    case .shared(let shared):
      let query = """
        SELECT r.sealed FROM keyplan.\(table) r JOIN keyplan.stores s ON s.id = r.store WHERE s.project = $1
        """
      let statement = PostgresStatement(query, [.text(shared.address.project)])
      return try shared.session.run([statement], doing: .reading) { answers throws(PostgresFault) in
        var found: [[UInt8]] = []
        for row in 0..<answers[0].count { found.append([UInt8](try answers[0].bytes(row, 0))) }
        return found
      }
    }
  }

  /// Runs SQL as an attacker would, who has the file or the server and no key. `$1` is the project.
  func attack(_ statements: String...) throws {
    switch location {
    case .file(let path):
      var database = try Database(path, writing: true)
      for statement in statements { try database.run(statement) }
    case .shared(let shared):
      for statement in statements {
        let values = statement.contains("$1") ? [PostgresValue.text(shared.address.project)] : []
        try shared.session.run([PostgresStatement(statement, values)], doing: .writing) { _ in }
      }
    }
  }
}
