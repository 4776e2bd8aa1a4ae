import CSQLite
import KeyplanPorts

/// A connection to SQLite: statements are prepared once, and values are bound, never part of the SQL or of an error.
struct Database: ~Copyable {
  private let connection: OpaquePointer
  private let path: String
  /// Nil for a file.
  private let copy: MemoryCopy?
  private var statements: [String: OpaquePointer] = [:]

  /// The default limit for waiting for another process's transaction.
  static let patience = Duration.seconds(5)

  /// Opens an existing file, by a path without symbolic links.
  /// - Parameter patience: the limit for waiting for another process's transaction; a commit takes some milliseconds.
  init(_ path: String, writing: Bool, patience: Duration = Database.patience) throws(StoreError) {
    try self.init(path, in: GuardedFiles.name, shownAs: path, writing: writing, nil)
    let milliseconds = max(patience, .milliseconds(50)) / .milliseconds(1)
    sqlite3_busy_timeout(connection, Int32(min(milliseconds, Double(Int32.max))))
  }

  /// Opens a copy in memory.
  /// - Parameter path: of the file that was copied, for errors.
  init(_ copy: MemoryCopy, of path: String) throws(StoreError) {
    try self.init(copy.path, in: MemoryFile.fileSystem, shownAs: path, writing: true, copy)
  }

  private init(
    _ name: String, in fileSystem: String?, shownAs path: String, writing: Bool, _ copy: MemoryCopy?
  ) throws(StoreError) {
    guard let fileSystem else { throw StoreError(.io, "SQLite has no access to files.") }
    let access = writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, fileSystem)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw Database.error(code, path)
    }
    connection = opened
    (self.path, self.copy) = (path, copy)
    sqlite3_extended_result_codes(connection, 1)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(connection)
  }

  /// Sets a pragma and reads it back, because SQLite silently ignores a pragma that it cannot apply.
  mutating func set(_ pragma: String, to wanted: Bound, reading expected: Bound? = nil) throws(StoreError) {
    let text: String
    switch wanted {
    case .integer(let number): text = String(number)
    case .text(let word): text = word
    case .blob: text = ""
    }
    try run("PRAGMA \(pragma) = \(text)")
    guard try pragmaValue(pragma) == expected ?? wanted else {
      throw StoreError(.io, "SQLite did not accept the setting \(pragma).")
    }
  }

  mutating func pragmaValue(_ pragma: String) throws(StoreError) -> Bound? {
    var found: Bound?
    try run("PRAGMA \(pragma)") { row throws(StoreError) in found = row.any(0) }
    return found
  }

  /// Rejects a file that is not an SQLite database, or is marked for write-ahead logging. To be called before any
  /// statement.
  ///
  /// A changed byte in the header would cause SQLite to create a log and shared memory next to the file, even for
  /// readers. Therefore its first bytes (file format 1.3) are checked before SQLite reads them, through SQLite's own
  /// descriptor: see `StoreFile` for the reason.
  func requireRollbackJournal() throws(StoreError) {
    let (file, methods) = try openFile()
    var head = [UInt8](repeating: 0, count: 20)
    // A short file is padded with zeros, and rejected later.
    _ = head.withUnsafeMutableBytes { methods.xRead(file, $0.baseAddress, Int32($0.count), 0) }
    if head.contains(where: { $0 != 0 }), !head.starts(with: "SQLite format 3\0".utf8) {
      let first = (0x21...0x7e).contains(head[0]) ? " (it begins with \"\(Character(Unicode.Scalar(head[0])))\")" : ""
      throw StoreError(
        .damaged, "\(path) is not an SQLite database\(first). Another program may have overwritten it.",
        hint: Database.fromBackup)
    }
    guard head[18] <= 1, head[19] <= 1 else {
      throw StoreError(.damaged, "\(path) uses a journal mode that keyplan does not use.", hint: Database.fromBackup)
    }
  }

  /// SQLite's own descriptor of the file, and its operations. To be used before any statement: see `StoreFile` for the reason.
  private func openFile() throws(StoreError) -> (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods?.pointee
    else { throw StoreError(.io, "\(path) cannot be read.") }
    return (file, methods)
  }

  /// The bytes of the file, and the result of the body, from one moment without a commit. Nil if another process commits. To be called
  /// before any statement.
  func resting<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> (bytes: [UInt8], Result)? {
    let (file, methods) = try openFile()
    // Before it writes to the file, a commit waits until no one has this lock.
    guard methods.xLock(file, SQLITE_LOCK_SHARED) == SQLITE_OK else { return nil }
    defer { _ = methods.xUnlock(file, SQLITE_LOCK_NONE) }
    var (isReserved, size) = (Int32(0), sqlite3_int64(0))
    guard methods.xCheckReservedLock(file, &isReserved) == SQLITE_OK, methods.xFileSize(file, &size) == SQLITE_OK else {
      throw StoreError(.io, "\(path) cannot be read.")
    }
    guard isReserved == 0 else { return nil }
    let result = try body()
    var bytes = [UInt8](repeating: 0, count: Int(size))
    var isRead = true
    bytes.withUnsafeMutableBytes { memory in
      for start in stride(from: 0, to: memory.count, by: 1 << 24) where isRead {
        let part = UnsafeMutableRawBufferPointer(rebasing: memory[start..<min(start + 1 << 24, memory.count)])
        isRead = methods.xRead(file, part.baseAddress, Int32(part.count), sqlite3_int64(start)) == SQLITE_OK
      }
    }
    guard isRead else { throw StoreError(.io, "\(path) cannot be read.") }
    return (bytes, result)
  }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes(connection)) }

  /// Runs one statement to completion.
  /// - Parameter sql: constant text, by which the prepared statement is cached.
  mutating func run(
    _ sql: String, _ values: [Bound] = [], each body: (Found) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { try check(value.bind(to: statement, at: Int32(index + 1))) }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw Database.error(code, path) }
      try body(Found(statement: statement))
    }
  }

  /// Runs the body in a transaction.
  mutating func transaction<Result>(
    _ begin: String, _ body: (inout Database) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try run(begin)
    do throws(StoreError) {
      let result = try body(&self)
      try run("COMMIT")
      return result
    } catch {
      // SQLite may have rolled back by itself, for example on a full disk.
      if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  private mutating func prepared(_ sql: String) throws(StoreError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw Database.error(code, path) }
    statements[sql] = statement
    return statement
  }

  private func check(_ code: Int32) throws(StoreError) {
    guard code == SQLITE_OK else { throw Database.error(code, path) }
  }

  private static func error(_ code: Int32, _ path: String) -> StoreError {
    // The text of the code, not that of the connection, which can quote a row.
    let words = String(cString: sqlite3_errstr(code))
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: return FileLockFault.find(at: path)
    case SQLITE_READONLY where code == interruptedCommit:
      return StoreError(
        .io, "A commit to \(path) was interrupted, and rolling it back requires write permission.",
        hint: "Run keyplan once as a user with write permission for the store.")
    case SQLITE_READONLY:
      return StoreError(.io, "\(path) cannot be written: the file or its folder is read-only.")
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_FORMAT, SQLITE_RANGE:
      return StoreError(.damaged, "\(path) is not a keyplan store, or is damaged (SQLite: \(words)).", hint: fromBackup)
    case SQLITE_FULL:
      return StoreError(.io, "\(path) cannot be written: the disk is full. No changes were made.")
    default: return StoreError(.io, "\(path) cannot be used (SQLite: \(words), code \(code)).")
    }
  }

  static let fromBackup =
    "keyplan restore FILE (a file that `keyplan backup` wrote; a damaged store file is moved aside)"
  /// SQLITE_READONLY_ROLLBACK, a macro that Swift does not import.
  static let interruptedCommit = SQLITE_READONLY | 3 << 8
}

/// A parameter or result of a statement.
enum Bound: Hashable {
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  fileprivate func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    // SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the bytes before the call returns.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .text(let text): return sqlite3_bind_text(statement, index, text, -1, transient)
    case .blob(let bytes):
      return bytes.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), transient) }
    }
  }
}

/// The current row of a statement. A column with an unexpected type means that the file is damaged.
struct Found {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) throws(StoreError) -> Int64 {
    try require(SQLITE_INTEGER, column)
    return sqlite3_column_int64(statement, column)
  }

  func text(_ column: Int32) throws(StoreError) -> String {
    try require(SQLITE_TEXT, column)
    return sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  func blob(_ column: Int32) throws(StoreError) -> [UInt8] {
    try require(SQLITE_BLOB, column)
    let bytes = sqlite3_column_blob(statement, column)
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  fileprivate func any(_ column: Int32) -> Bound? {
    if let number = try? integer(column) { return .integer(number) }
    return (try? text(column)).map(Bound.text)
  }

  private func require(_ type: Int32, _ column: Int32) throws(StoreError) {
    guard sqlite3_column_type(statement, column) == type else {
      throw StoreError(
        .damaged, "The store contains a column with an invalid type.", hint: Database.fromBackup)
    }
  }
}
