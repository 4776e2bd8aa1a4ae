#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The parts of `stat` that this module uses.
struct Status: Equatable {
  let kind: FileKind
  /// Permission bits only.
  let mode: UInt32
  /// Of a directory: whether only its owner, and the owner of a file in it, can rename or delete that file.
  let isSticky: Bool
  let owner: UInt32
  let group: UInt32
  /// The number of hard links.
  let links: Int
  let size: Int
  /// The time of the last change of the content, according to the file system: seconds, and nanoseconds after them.
  let (modifiedSeconds, modifiedNanoseconds): (Int, Int)
  let device: Int
  let inode: UInt64

  init(_ raw: stat) {
    kind =
      switch raw.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symlink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      default: .device
      }
    mode = UInt32(raw.st_mode & 0o777)
    isSticky = raw.st_mode & S_ISVTX != 0
    owner = raw.st_uid
    group = raw.st_gid
    links = Int(raw.st_nlink)
    size = Int(raw.st_size)
    #if canImport(Darwin)
    (modifiedSeconds, modifiedNanoseconds) = (raw.st_mtimespec.tv_sec, raw.st_mtimespec.tv_nsec)
    #else
    (modifiedSeconds, modifiedNanoseconds) = (raw.st_mtim.tv_sec, raw.st_mtim.tv_nsec)
    #endif
    device = Int(truncatingIfNeeded: raw.st_dev)
    inode = UInt64(raw.st_ino)
  }

  /// The status of the name itself, links not followed; `nil` if it does not exist.
  static func ofName(_ name: String, in directory: Int32 = AT_FDCWD, path: String) throws(FileError) -> Status? {
    guard !name.isEmpty, !name.utf8.contains(0) else { throw FileError(.invalidPath, path) }
    var raw = stat()
    do throws(FileError) {
      try retrying(path) { fstatat(directory, name, &raw, AT_SYMLINK_NOFOLLOW) }
      return Status(raw)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// Whether it belongs to root.
  var isRoots: Bool { owner == 0 }

  /// Compares device and inode.
  func isSameFile(as other: Status) -> Bool { device == other.device && inode == other.inode }

  /// Throws unless it is a regular file.
  func requireRegular(_ path: String) throws(FileError) {
    switch kind {
    case .regular: return
    case .directory: throw FileError(.isDirectory, path)
    case .symlink: throw FileError(.symlink, path)
    case .fifo, .socket, .device: throw FileError(.notRegular(kind), path)
    }
  }

  /// Throws unless only this user has access.
  func requirePrivate(_ path: String) throws(FileError) {
    guard owner == geteuid() else { throw FileError(.otherOwner(owner), path) }
    guard mode & 0o077 == 0 else { throw FileError(.tooOpen(mode: mode), path) }
    guard kind != .regular || links <= 1 else { throw FileError(.hardLinked, path) }
  }

  /// Throws if the owner has no write permission. Checks the mode, because root may write everything.
  func requireWritable(_ path: String) throws(FileError) {
    guard mode & 0o200 != 0 else { throw FileError(.readOnly, path) }
  }

  static func code(for number: Int32) -> FileError.Code {
    switch number {
    case ENOENT: .notFound
    case EACCES, EPERM: .permission
    case EISDIR: .isDirectory
    case ENOTDIR: .notDirectory
    case ELOOP: .brokenLink
    case EEXIST: .exists
    case EROFS: .readOnlyFileSystem
    case EWOULDBLOCK: .busy
    case ENOSPC, EDQUOT, EFBIG: .noSpace
    default: .io(errno: number)
    }
  }

  static func message(for number: Int32) -> String { String(cString: strerror(number)) }
}
