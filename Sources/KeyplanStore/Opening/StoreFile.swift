import KeyplanFiles
import KeyplanPorts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The location of a store file: private to its owner, in a directory that is private too.
///
/// The checks do not open the file: closing any descriptor of it would release SQLite's own locks (POSIX, `fcntl`).
/// Other users cannot replace the file afterwards, because they have no access to the directory.
struct StoreFile {
  /// The path without symbolic links.
  let path: String
  /// Whether a journal is beside it, which may be empty or that of a commit in another process.
  let hasJournal: Bool

  /// Creates the directory and an empty file, or uses an empty file left by an interrupted creation.
  init(making path: String) throws(StoreError) {
    if try Self.inspectFilesBeside(path) { try StoreJournal.requireUntracked(StoreJournal.path(beside: path)) }
    do throws(FileError) {
      try PrivateDirectory.ensure(Self.split(path).directory)
      do throws(FileError) {
        try PrivateFile.create(path, [])
      } catch {
        guard error.code == .exists else { throw error }
      }
    } catch {
      throw StoreError(Self.code(error), "The store cannot be created: \(error).", hint: error.hint)
    }
    try self.init(path)
  }

  /// Validates the ownership and permissions of an existing store.
  /// - Parameter isReader: whether the store is only read, so that it can also be one that root provides.
  init(_ path: String, isReader: Bool = false) throws(StoreError) {
    guard let status = try Self.status(path) else {
      throw StoreError(.noStore, "The store at \(path) does not exist.", hint: "keyplan init")
    }
    let path = try Self.checked(path, status, isReader: isReader)
    let (directory, name) = Self.split(path)
    hasJournal = try Self.inspectFilesBeside(path)
    guard let real = realpath(directory, nil) else {
      throw StoreError(.io, "\(directory) is not accessible: \(String(cString: strerror(errno))).")
    }
    defer { free(real) }
    self.path = String(cString: real) + "/" + name
  }

  /// - Returns: the path, resolved if root provides the file.
  private static func checked(_ path: String, _ found: stat, isReader: Bool) throws(StoreError) -> String {
    do throws(StoreError) {
      let directory = split(path).directory
      if let place = try status(directory) { try requirePrivate(place, directory, isDirectory: true) }
      try requirePrivate(found, path, isDirectory: false)
      return path
    } catch {
      guard isReader, error.code == .tooOpen, let provided = try providedPath(path) else { throw error }
      return provided
    }
  }

  /// The resolved path if root provides the file and only root can create a journal beside it; otherwise nil.
  private static func providedPath(_ path: String) throws(StoreError) -> String? {
    do throws(FileError) {
      guard let provided = try ProvidedFile(path), try provided.isInClosedFolder() else { return nil }
      return provided.path
    } catch {
      throw StoreError(code(error), "The store cannot be opened: \(error).", hint: error.hint)
    }
  }

  private static func requirePrivate(_ status: stat, _ path: String, isDirectory: Bool) throws(StoreError) {
    guard status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG) else {
      let kind = status.st_mode & S_IFMT == S_IFLNK ? "a symbolic link" : "of another kind"
      throw StoreError(.tooOpen, "\(path) must be a \(isDirectory ? "directory" : "regular file"), but is \(kind).")
    }
    guard status.st_uid == geteuid() else {
      throw StoreError(
        .tooOpen, "\(path) belongs to another user (id \(status.st_uid)).", hint: "Run keyplan as its owner.")
    }
    guard status.st_mode & 0o077 == 0 else {
      let quoted = "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
      throw StoreError(.tooOpen, "\(path) is accessible to group or others.", hint: "chmod go-rwx -- \(quoted)")
    }
    guard isDirectory || status.st_nlink == 1 else {
      throw StoreError(.tooOpen, "\(path) has another name (a hard link), through which others may have access.")
    }
  }

  /// Refuses special files in the place of SQLite's own files: SQLite would block forever on a named pipe. Files of write-ahead
  /// logging are refused too. keyplan never makes any, and SQLite would write their content into the store.
  /// - Returns: whether there is a journal.
  private static func inspectFilesBeside(_ path: String) throws(StoreError) -> Bool {
    func exists(_ ending: String) throws(StoreError) -> Bool {
      do throws(FileError) {
        return try SafeFile.requireRegularIfPresent(path + ending)
      } catch {
        throw StoreError(code(error), "The store cannot be opened: \(error).", hint: StoreJournal.advice)
      }
    }
    for ending in ["-wal", "-shm"] where try exists(ending) {
      throw StoreError(
        .refused,
        "\(path + ending) is next to the store. keyplan makes no such file, and SQLite would write its content into the store.",
        hint: StoreJournal.advice)
    }
    return try exists("-journal")
  }

  private static func status(_ path: String) throws(StoreError) -> stat? {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.noStore, "The store's path is invalid.")
    }
    var status = stat()
    if lstat(path, &status) == 0 { return status }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw StoreError(.io, "\(path) cannot be inspected: \(String(cString: strerror(errno))).")
    }
    return nil
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
  }

  static func code(_ error: FileError) -> StoreError.Code {
    switch error.code {
    case .tooOpen, .providedTooOpen, .otherOwner, .symlink, .hardLinked: .tooOpen
    case .exists: .exists
    case .isDirectory, .notRegular: .refused
    default: .io
    }
  }
}
