import KeyplanApply
import KeyplanFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a store lies: a file that is its owner's alone, in a directory that is, too.
///
/// The file itself is not opened for the checks: closing any descriptor of it would end SQLite's own locks on it (POSIX, `fcntl`).
/// Nobody else can exchange it afterwards, because nobody else can enter the directory.
struct StoreFile {
  /// The path without a symbolic link in it.
  let path: String

  /// Makes the directory and an empty file, or takes an empty file that an interrupted making left behind.
  init(making path: String) throws(StoreError) {
    try Self.requireFilesBeside(path)
    do throws(FileError) {
      try PrivateDirectory.ensure(Self.split(path).directory)
      do throws(FileError) {
        try PrivateFile.create(path, [])
      } catch {
        guard error.code == .exists else { throw error }
      }
    } catch {
      throw StoreError(Self.code(error), "The store cannot be made: \(error).", hint: error.hint)
    }
    try self.init(path)
  }

  /// Holds an existing store to the rules.
  init(_ path: String) throws(StoreError) {
    let (directory, name) = Self.split(path)
    guard let status = try Self.status(path) else {
      throw StoreError(.noStore, "There is no store at \(path).", hint: "keyplan init")
    }
    if let place = try Self.status(directory) { try Self.requirePrivate(place, directory, isDirectory: true) }
    try Self.requirePrivate(status, path, isDirectory: false)
    try Self.requireFilesBeside(path)
    guard let real = realpath(directory, nil) else {
      throw StoreError(.io, "\(directory) cannot be entered: \(String(cString: strerror(errno))).")
    }
    defer { free(real) }
    self.path = String(cString: real) + "/" + name
  }

  private static func requirePrivate(_ status: stat, _ path: String, isDirectory: Bool) throws(StoreError) {
    guard status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG) else {
      let kind = status.st_mode & S_IFMT == S_IFLNK ? "a symbolic link" : "of another kind"
      throw StoreError(.tooOpen, "\(path) must be a \(isDirectory ? "directory" : "file") itself, and is \(kind).")
    }
    guard status.st_uid == geteuid() else {
      throw StoreError(.tooOpen, "\(path) belongs to another user (id \(status.st_uid)).", hint: "Run as its owner.")
    }
    guard status.st_mode & 0o077 == 0 else {
      let quoted = "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
      throw StoreError(.tooOpen, "Group or others have access to \(path).", hint: "chmod go-rwx -- \(quoted)")
    }
    guard isDirectory || status.st_nlink == 1 else {
      throw StoreError(.tooOpen, "\(path) has another name (a hard link), so that others may reach it.")
    }
  }

  /// Refuses what SQLite would open beside the store and is no file: it waits for ever at a named pipe.
  private static func requireFilesBeside(_ path: String) throws(StoreError) {
    for ending in ["-journal", "-wal", "-shm"] {
      do throws(FileError) {
        try SafeFile.requireRegularIfPresent(path + ending)
      } catch {
        throw StoreError(
          code(error), "The store cannot be opened: \(error).",
          hint: "Nothing but SQLite's own files belongs beside a store. Find out who put it there, and take it away.")
      }
    }
  }

  private static func status(_ path: String) throws(StoreError) -> stat? {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.noStore, "The store's path cannot name a file.")
    }
    var status = stat()
    if lstat(path, &status) == 0 { return status }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw StoreError(.io, "\(path) cannot be looked at: \(String(cString: strerror(errno))).")
    }
    return nil
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
  }

  static func code(_ error: FileError) -> StoreError.Code {
    switch error.code {
    case .tooOpen, .otherOwner, .symlink, .hardLinked: .tooOpen
    case .exists: .exists
    case .isDirectory, .notRegular: .refused
    default: .io
    }
  }
}
