package import KeyplanApply

/// Where a store is kept.
package enum StoreLocation: Sendable {
  /// An SQLite file.
  case file(String)
  /// On a PostgreSQL server.
  case shared(SharedStore)
}

/// A store on a server, and the connections to it: they are made when they are needed, and kept for the next who needs them.
package final class SharedStore: Sendable {
  /// Where it is.
  package let address: PostgresAddress
  let session: PostgresSession
  /// Another, so that the lock's holder is heard of also while a commit takes long.
  let lockSession: PostgresSession

  /// The schema that holds keyplan's tables.
  package var schema: String { address.schema }

  /// Connects to nothing yet.
  package init(_ address: PostgresAddress) {
    self.address = address
    session = PostgresSession(address)
    lockSession = PostgresSession(address)
  }

  /// How much of the tables for all stores of the schema is there. Making a store makes the rest.
  package func tables() throws(StoreError) -> Tables {
    let version = try PostgresRows.version(session)
    return version == 0 ? .none : version < PostgresSchema(address).changes.count ? .older : .all
  }

  /// Makes what is missing of the tables.
  package func makeTables() throws(StoreError) { try PostgresRows.makeTables(session) }

  /// How much of its tables a schema has.
  package enum Tables: Sendable {
    /// Nothing.
    case none
    /// What an earlier version of keyplan made.
    case older
    /// Everything.
    case all
  }

  /// Whether it has been made.
  package func exists() throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try PostgresRows(session, .reading).read(.none)
      return true
    } catch {
      guard error.code == .noStore else { throw error }
      return false
    }
  }
}
