package import KeyplanPorts

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
  /// A separate connection, so that locks are renewed even during a long commit.
  let lockSession: PostgresSession

  /// The schema of keyplan's tables.
  package var schema: String { address.schema }

  /// Does not connect yet.
  package init(_ address: PostgresAddress) {
    self.address = address
    session = PostgresSession(address)
    lockSession = PostgresSession(address)
  }

  /// Whether the schema has keyplan's tables. Creating a store adds missing ones.
  package func hasTables() throws(StoreError) -> Bool { try PostgresRows.version(session) > 0 }

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
