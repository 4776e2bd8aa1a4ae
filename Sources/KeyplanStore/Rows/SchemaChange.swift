/// A step from one version of the tables to the next: frozen SQL with a name, which knows no Swift type.
///
/// Only append. A statement that was released is never edited, because SQLite keeps the text of each table's making and a
/// store is opened only if that text is exactly the one below.
struct SchemaChange {
  let name: String
  let statements: [String]

  /// In order; `user_version` says how many of them a store has had.
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

  /// `user_version` of a store that has had all of them.
  static var current: Int64 { Int64(all.count) }

  /// `kp1` and a zero byte, big-endian: `application_id` in the file's header, by which `file` can tell a store.
  static let applicationID: Int64 = 0x6b70_3100
}
