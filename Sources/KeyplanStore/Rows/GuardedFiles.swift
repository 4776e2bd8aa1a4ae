import CSQLite
import KeyplanPorts
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SQLite's files on the disk, except that no file in them has SQLite open, delete or roll back anything by itself.
///
/// To SQLite a journal beside a file is an order: it writes the pages in it over the file, and deletes another file that the journal
/// names. A checkout can put such a file there. So a journal is opened for that only if it is the one that was checked before
/// (`StoreJournal`), files that a journal names are never opened, and neither is a write-ahead log.
enum GuardedFiles {
  /// The name for SQLite; nil if SQLite has no files here.
  static let name: String? = register()

  private static let checked = Mutex<[String: FileStamp]>([:])

  /// Lets SQLite roll back a journal while the body runs.
  static func allowing<Result>(
    _ journal: StoreJournal, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    checked.withLock { $0[journal.path] = journal.stamp }
    defer { checked.withLock { $0[journal.path] = nil } }
    return try body()
  }

  private static func isChecked(_ path: UnsafePointer<CChar>?) -> Bool {
    guard let path = path.map({ String(cString: $0) }), let stamp = checked.withLock({ $0[path] }) else { return false }
    return FileStamp(of: path) == stamp
  }

  /// Records the journal's current stamp as the checked one. To be called after it was opened: as root, SQLite gives it the owner
  /// of the store, which changes the stamp.
  private static func keep(_ path: UnsafePointer<CChar>?) {
    guard let path = path.map({ String(cString: $0) }), let stamp = FileStamp(of: path) else { return }
    checked.withLock { if $0[path] != nil { $0[path] = stamp } }
  }

  private static func register() -> String? {
    let name = "keyplan"
    guard let system = sqlite3_vfs_find(nil), let own = strdup(name) else { return nil }
    // Both stay for as long as the process, because SQLite keeps the address.
    let files = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    files.initialize(to: system.pointee)
    files.pointee.pNext = nil
    files.pointee.zName = UnsafePointer(own)
    files.pointee.xOpen = { _, path, file, flags, opened in
      guard let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen else { return SQLITE_CANTOPEN }
      let isNamedByJournal = flags & (SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL) != 0
      // A commit creates its journal; without that, it is opened to be rolled back.
      let isRollback =
        flags & SQLITE_OPEN_MAIN_JOURNAL != 0 && flags & SQLITE_OPEN_READWRITE != 0 && flags & SQLITE_OPEN_CREATE == 0
      let isChecked = flags & SQLITE_OPEN_MAIN_JOURNAL != 0 && GuardedFiles.isChecked(path)
      guard !isNamedByJournal, !isRollback || isChecked else {
        // Otherwise SQLite would close a file that was never opened.
        file?.pointee.pMethods = nil
        return SQLITE_CANTOPEN
      }
      let code = open(system, path, file, flags, opened)
      if isChecked { GuardedFiles.keep(path) }
      return code
    }
    return sqlite3_vfs_register(files, 0) == SQLITE_OK ? name : nil
  }
}
