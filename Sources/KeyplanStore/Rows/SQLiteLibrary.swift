import CSQLite

/// The SQLite with which the program runs.
package enum SQLiteLibrary {
  /// For example `3.46.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }
}
