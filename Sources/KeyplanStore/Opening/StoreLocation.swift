package import KeyplanApply

package enum StoreLocation: Sendable {
  /// An SQLite file.
  case file(String)
  /// On a PostgreSQL server.
  case shared(SharedStore)
}

/// A store on a PostgreSQL server. Connections are made when they are needed, and kept for later use.
package final class SharedStore: Sendable {
  package let address: PostgresAddress
  let session: PostgresSession
  /// A separate connection, so that the lock is renewed even during a long commit.
  let lockSession: PostgresSession

  /// The schema of keyplan's tables.
  package var schema: String { address.schema }

  /// Does not connect yet.
  package init(_ address: PostgresAddress) {
    self.address = address
    session = PostgresSession(address)
    lockSession = PostgresSession(address)
  }

  /// How much of the schema's tables exists. Creating a store adds the rest.
  package func tables() throws(StoreError) -> Tables {
    let version = try PostgresRows.version(session)
    return version == 0 ? .none : .all
  }

  /// Creates missing tables.
  package func makeTables() throws(StoreError) { try PostgresRows.makeTables(session) }

  /// The state of a schema's tables.
  package enum Tables: Sendable {
    /// There are none.
    case none
    /// Complete.
    case all
  }

  /// Whether the store exists.
  package func exists() throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try PostgresRows(session, .reading).header()
      return true
    } catch {
      guard error.code == .noStore else { throw error }
      return false
    }
  }
}
