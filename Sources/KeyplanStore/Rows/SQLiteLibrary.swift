import CSQLite

/// The SQLite that the program runs with.
public enum SQLiteLibrary {
  /// Such as `3.46.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
