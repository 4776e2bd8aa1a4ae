import KeyplanPorts
import Synchronization

/// Sealed rows in an SQLite file.
final class SQLiteRows: RowStore {
  private let database: Mutex<Database>

  private init(_ database: consuming sending Database) { self.database = Mutex(database) }

  /// Opens the file and verifies its format: application id, version, and the schema of every table.
  /// - Parameter check: decides whether an interrupted commit is rolled back.
  static func open(
    _ path: String, writing: Bool, patience: Duration = Database.patience, hasJournal: Bool? = nil,
    check: RolledBackStore.Check = RolledBackStore.none
  ) throws(StoreError) -> SQLiteRows {
    var database = try connect(
      path, writing: writing, patience, hasJournal ?? StoreJournal.exists(beside: path), check)
    try requireOurs(&database, path)
    return SQLiteRows(database)
  }

  /// Creates the tables in an empty file, together with the first rows, in one transaction.
  static func create(_ path: String, _ first: Batch) throws(StoreError) -> SQLiteRows {
    var database = try connect(path, writing: true, Database.patience, StoreJournal.exists(beside: path)) {
      rolled throws(StoreError) in
      // Only an interrupted creation is started again.
      guard rolled.rows == nil else { throw StoreError(.exists, "A store already exists at \(path).") }
    }
    try database.transaction("BEGIN IMMEDIATE") { (database: inout Database) throws(StoreError) in
      guard try isEmpty(&database) else { throw StoreError(.exists, "A store already exists at \(path).") }
      for change in SchemaChange.all {
        for statement in change.statements { try database.run(statement) }
      }
      try database.run("PRAGMA application_id = \(SchemaChange.applicationID)")
      try database.run("PRAGMA user_version = \(SchemaChange.current)")
      try database.run("INSERT INTO store VALUES (1, ?, ?, ?, ?, ?, ?, ?)", columns(first.header))
      try write(first, to: &database)
    }
    try requireOurs(&database, path)
    return SQLiteRows(database)
  }

  private static func connect(
    _ path: String, writing: Bool, _ patience: Duration, _ hasJournal: Bool, _ check: RolledBackStore.Check
  ) throws(StoreError) -> sending Database {
    var hasJournal = hasJournal
    var attempts = 0
    while true {
      do throws(StoreError) {
        if hasJournal, let copy = try rollBack(path, writing: writing, patience, check) { return copy }
        var database = try Database(path, writing: writing, patience: patience)
        try configure(&database, writing: writing)
        return database
      } catch {
        // Since the last look a process was killed during a commit, or another one has rolled it back.
        attempts += 1
        let isThere = StoreJournal.exists(beside: path)
        guard error.code == .io, attempts < 3, isThere || hasJournal else { throw error }
        hasJournal = isThere
      }
    }
  }

  /// Rolls back the commit of a process that was killed: first in a copy, which has to pass the check. That restores the
  /// last commit, and is the only reason for which a reader opens the file for writing.
  /// - Returns: the copy, for a reader that cannot write the file; otherwise nil.
  private static func rollBack(
    _ path: String, writing: Bool, _ patience: Duration, _ check: RolledBackStore.Check
  ) throws(StoreError) -> sending Database? {
    var database = try Database(path, writing: true, patience: patience)
    try database.requireRollbackJournal()
    // Otherwise the journal belongs to a commit of another process, which SQLite waits for.
    guard let (bytes, found) = try database.resting({ () throws(StoreError) in try StoreJournal(beside: path) }),
      let journal = found
    else { return nil }
    let restored: SQLiteRows?
    do throws(StoreError) {
      restored = try copy(bytes, journal.bytes, of: path)
    } catch {
      throw StoreJournal.forged(journal.path, error.detail)
    }
    try check(
      RolledBackStore(
        path: journal.path, rows: restored,
        present: restored == nil ? try? copy(bytes, nil, of: path)?.header() : nil))
    do throws(StoreError) {
      try GuardedFiles.allowing(journal) { () throws(StoreError) in
        try database.run("SELECT count(*) FROM sqlite_schema")
      }
      return nil
    } catch {
      guard !writing, error.code == .io else { throw error }
    }
    var copied = try Database(MemoryCopy(bytes, journal: journal.bytes), of: path)
    try configure(&copied, writing: false)
    return copied
  }

  /// The rows of a copy, after its journal was rolled back; nil if it has none.
  private static func copy(
    _ bytes: [UInt8], _ journal: [UInt8]?, of path: String
  ) throws(StoreError) -> SQLiteRows? {
    let memory = MemoryCopy(bytes, journal: journal)
    var database = try Database(memory, of: path)
    try configure(&database, writing: false)
    let isEmpty = try isEmpty(&database)
    // A rollback that SQLite does not do here must not be done to the file either.
    guard !memory.hasJournal else {
      throw StoreJournal.forged(StoreJournal.path(beside: path), "SQLite does not roll it back.")
    }
    if isEmpty { return nil }
    try requireOurs(&database, path)
    return SQLiteRows(database)
  }

  private static func configure(_ database: inout Database, writing: Bool) throws(StoreError) {
    try database.requireRollbackJournal()
    try database.set("trusted_schema", to: .integer(0))
    try database.set("cell_size_check", to: .integer(1))
    try database.set("foreign_keys", to: .integer(1))
    try database.set("mmap_size", to: .integer(0))
    try database.set("temp_store", to: .text("MEMORY"), reading: .integer(2))
    if writing {
      // Measured: of the rollback journals, only DELETE with EXTRA (or TRUNCATE) lost no acknowledged commit in a power
      // failure.
      try database.set("journal_mode", to: .text("DELETE"), reading: .text("delete"))
      try database.set("synchronous", to: .text("EXTRA"), reading: .integer(3))
      try database.set("secure_delete", to: .integer(1))
      try database.set("fullfsync", to: .integer(1))
    } else {
      try database.set("query_only", to: .integer(1))
      // The first read of the file, so that an interrupted commit is detected here.
      _ = try database.pragmaValue("schema_version")
    }
  }

  private static func isEmpty(_ database: inout Database) throws(StoreError) -> Bool {
    try schema(&database).isEmpty
  }

  private static func schema(_ database: inout Database) throws(StoreError) -> [String] {
    var statements: [String] = []
    try database.run("SELECT ifnull(sql, name) FROM sqlite_schema ORDER BY rowid") { row throws(StoreError) in
      statements.append(try row.text(0))
    }
    return statements
  }

  private static func requireOurs(_ database: inout Database, _ path: String) throws(StoreError) {
    // One transaction: otherwise each question would cost seven system calls for locks.
    let (found, application, version) = try database.transaction("BEGIN") {
      (database: inout Database) throws(StoreError) in
      (try schema(&database), try database.pragmaValue("application_id"), try database.pragmaValue("user_version"))
    }
    if found.isEmpty, application == .integer(0), version == .integer(0) {
      throw StoreError(.noStore, "\(path) is empty: the creation of the store was interrupted.", hint: "keyplan init")
    }
    guard application == .integer(SchemaChange.applicationID), case .integer(let number)? = version, number > 0 else {
      throw StoreError(.damaged, "\(path) is not a keyplan store.", hint: Database.fromBackup)
    }
    guard number <= SchemaChange.current else {
      throw StoreError(
        .newerVersion, "\(path) was written by a newer version of keyplan.", hint: "Use that version, or a later one.")
    }
    guard found == SchemaChange.all.prefix(Int(number)).flatMap(\.statements) else {
      throw StoreError(.tampered, "The tables of \(path) have been modified.", hint: Database.fromBackup)
    }
  }

  /// A file has no more rows than it has room for.
  func read(_ buckets: Buckets, atMost _: Int64 = .max) throws(StoreError) -> (header: Header, rows: [Row]) {
    try database.withLock { database throws(StoreError) in
      try database.transaction("BEGIN") { (database: inout Database) throws(StoreError) in
        let header = try SQLiteRows.header(&database)
        var rows: [Row] = []
        let all = "SELECT id, epoch, algorithm, sealed FROM records"
        switch buckets {
        case .none: break
        case .all:
          rows.reserveCapacity(max(0, Int(min(header.count, 1 << 20))))
          try database.run(all + " ORDER BY id") { row throws(StoreError) in rows.append(try SQLiteRows.row(row)) }
        case .some(let numbers):
          for number in numbers {
            let bounds = [
              Bound.blob([number]), .blob(number == 255 ? [UInt8](repeating: 255, count: 17) : [number + 1]),
            ]
            try database.run(all + " WHERE id >= ? AND id < ? ORDER BY id", bounds) { row throws(StoreError) in
              rows.append(try SQLiteRows.row(row))
            }
          }
        }
        return (header, rows)
      }
    }
  }

  func values(_ ids: [RowID]) throws(StoreError) -> [RowID: Row] {
    try database.withLock { database throws(StoreError) in
      // One transaction for all: otherwise each row would cost seven system calls for locks.
      try database.transaction("BEGIN") { (database: inout Database) throws(StoreError) in
        var found: [RowID: Row] = [:]
        found.reserveCapacity(ids.count)
        let query = "SELECT id, epoch, algorithm, sealed FROM secrets WHERE id = ?"
        for id in ids.sorted() {
          try database.run(query, [.blob(id.bytes)]) { row throws(StoreError) in found[id] = try SQLiteRows.row(row) }
        }
        return found
      }
    }
  }

  func everything(atMost _: Int64 = .max) throws(StoreError) -> StoredRows {
    try database.withLock { database throws(StoreError) in
      try database.transaction("BEGIN") { (database: inout Database) throws(StoreError) in
        var all = StoredRows(header: try SQLiteRows.header(&database), records: [], values: [])
        try database.run("SELECT id, epoch, algorithm, sealed FROM records ORDER BY id") { row throws(StoreError) in
          all.records.append(try SQLiteRows.row(row))
        }
        try database.run("SELECT id, epoch, algorithm, sealed FROM secrets ORDER BY id") { row throws(StoreError) in
          all.values.append(try SQLiteRows.row(row))
        }
        return all
      }
    }
  }

  func commit(_ batch: Batch, replacing root: [UInt8]) throws(StoreError) {
    try database.withLock { database throws(StoreError) in
      try database.transaction("BEGIN IMMEDIATE") { (database: inout Database) throws(StoreError) in
        let update = """
          UPDATE store SET format = ?, id = ?, serial = ?, epoch = ?, count = ?, buckets = ?, root = ? \
          WHERE one = 1 AND root = ?
          """
        try database.run(update, SQLiteRows.columns(batch.header) + [.blob(root)])
        guard database.changes == 1 else {
          throw StoreError(.stale, "Another process committed to the store meanwhile.", hint: "Plan again.")
        }
        try SQLiteRows.write(batch, to: &database)
      }
    }
  }

  /// The lock of a file cannot be lost.
  func requireLock() {}

  func compact() throws(StoreError) {
    try database.withLock { database throws(StoreError) in try database.run("VACUUM") }
  }

  /// The value of a pragma of this connection.
  func setting(_ pragma: String) throws(StoreError) -> Bound? {
    try database.withLock { database throws(StoreError) in try database.pragmaValue(pragma) }
  }

  private static func write(_ batch: Batch, to database: inout Database) throws(StoreError) {
    if batch.replacesAll {
      try database.run("DELETE FROM records")
      try database.run("DELETE FROM secrets")
    }
    if batch.replacesKeyring {
      try database.run("DELETE FROM keyring")
      for (slot, file) in batch.header.keyring.sorted(by: { $0.key < $1.key }) {
        try database.run("INSERT INTO keyring VALUES (?, ?)", [.text(slot), .blob(file)])
      }
    }
    for id in batch.removedRecords { try database.run("DELETE FROM records WHERE id = ?", [.blob(id.bytes)]) }
    for id in batch.removedValues { try database.run("DELETE FROM secrets WHERE id = ?", [.blob(id.bytes)]) }
    for row in batch.records.sorted(by: { $0.id < $1.id }) {
      try database.run("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", columns(row))
    }
    for row in batch.values.sorted(by: { $0.id < $1.id }) {
      try database.run("INSERT INTO secrets VALUES (?, ?, ?, ?)", columns(row))
    }
  }

  private static func header(_ database: inout Database) throws(StoreError) -> Header {
    var found: Header?
    let query = "SELECT format, id, serial, epoch, count, buckets, root FROM store WHERE one = 1"
    try database.run(query) { row throws(StoreError) in
      found = Header(
        format: try row.text(0), store: try row.blob(1), serial: try row.integer(2), epoch: try row.integer(3),
        count: try row.integer(4), buckets: try row.blob(5), root: try row.blob(6), keyring: [:])
    }
    guard var header = found else {
      throw StoreError(.damaged, "The store has no header.", hint: Database.fromBackup)
    }
    try database.run("SELECT slot, file FROM keyring") { row throws(StoreError) in
      header.keyring[try row.text(0)] = try row.blob(1)
    }
    return header
  }

  private static func row(_ found: Found) throws(StoreError) -> Row {
    guard let id = RowID(try found.blob(0)) else {
      throw StoreError(.damaged, "The store contains a row with an invalid id.", hint: Database.fromBackup)
    }
    return Row(id: id, epoch: try found.integer(1), algorithm: try found.integer(2), sealed: try found.blob(3))
  }

  private static func columns(_ row: Row) -> [Bound] {
    [.blob(row.id.bytes), .integer(row.epoch), .integer(row.algorithm), .blob(row.sealed)]
  }

  private static func columns(_ header: Header) -> [Bound] {
    [
      .text(header.format), .blob(header.store), .integer(header.serial), .integer(header.epoch),
      .integer(header.count), .blob(header.buckets), .blob(header.root),
    ]
  }
}
