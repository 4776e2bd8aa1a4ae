import CSQLite

/// The SQLite that the program runs with.
package enum SQLiteLibrary {
  /// Such as `3.46.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }
}
