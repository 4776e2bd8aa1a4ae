/// A named change from one version of the tables to the next, as constant SQL.
///
/// Only append. A released statement is never changed, because SQLite stores the text of each CREATE statement, and a
/// store is only opened if that text is exactly the one below.
struct SchemaChange {
  let name: String
  let statements: [String]

  /// In order; `user_version` is the number of applied changes.
  static let all = [
    SchemaChange(
      name: "kp1",
      statements: [
        """
        CREATE TABLE keyring (slot TEXT PRIMARY KEY, file BLOB NOT NULL) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE store (one INTEGER PRIMARY KEY CHECK (one = 1), format TEXT NOT NULL, id BLOB NOT NULL, \
        serial INTEGER NOT NULL, epoch INTEGER NOT NULL, count INTEGER NOT NULL, buckets BLOB NOT NULL, \
        root BLOB NOT NULL) STRICT
        """,
        """
        CREATE TABLE records (id BLOB PRIMARY KEY, epoch INTEGER NOT NULL, algorithm INTEGER NOT NULL, \
        sealed BLOB NOT NULL) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE secrets (id BLOB PRIMARY KEY, epoch INTEGER NOT NULL, algorithm INTEGER NOT NULL, \
        sealed BLOB NOT NULL) STRICT, WITHOUT ROWID
        """,
      ])
  ]

  /// The `user_version` of a current store.
  static var current: Int64 { Int64(all.count) }

  /// `kp1` and a zero byte, big-endian: the `application_id` in the file's header, by which `file` can recognize a
  /// store.
  static let applicationID: Int64 = 0x6b70_3100
}
