#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file or directory, closed when it goes out of scope.
///
/// The `path` argument of each method is only for the error: the name by which the user knows the file.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// The working directory, for `openat` (`AT_FDCWD`).
  static let workingDirectory = AT_FDCWD

  /// - Parameter mode: the mode of a new file, before the umask; call `setMode` for an exact one.
  init(
    opening name: String, in directory: Int32 = workingDirectory, _ flags: Int32, mode: UInt32 = 0, path: String
  ) throws(FileError) {
    guard !name.isEmpty, !name.utf8.contains(0) else { throw FileError(.invalidPath, path) }
    number = try retrying(path) { openat(directory, name, flags | O_CLOEXEC, mode_t(mode)) }
  }

  deinit { close(number) }

  func status(_ path: String) throws(FileError) -> Status {
    var raw = stat()
    try retrying(path) { fstat(number, &raw) }
    return Status(raw)
  }

  /// The bytes from the current position to the end, at most `limit`.
  ///
  /// The buffer is allocated once, so that no copies of a secret remain in outgrown buffers.
  func readAll(expecting size: Int, limit: Int, _ path: String) throws(FileError) -> [UInt8] {
    guard size <= limit else { throw FileError(.tooLarge(limit: limit), path) }
    var bytes = [UInt8](repeating: 0, count: size + 1)
    var filled = 0
    while true {
      if filled == bytes.count {
        guard filled <= limit else { throw FileError(.tooLarge(limit: limit), path) }
        bytes.append(contentsOf: repeatElement(0, count: min(filled, limit - filled) + 1))
      }
      let count = try retrying(path) {
        bytes.withUnsafeMutableBytes { read(number, $0.baseAddress?.advanced(by: filled), $0.count - filled) }
      }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  func write(_ bytes: [UInt8], _ path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      written += try retrying(path) {
        bytes.withUnsafeBytes {
          pwrite(number, $0.baseAddress?.advanced(by: written), $0.count - written, off_t(written))
        }
      }
    }
  }

  func truncate(_ path: String) throws(FileError) {
    try retrying(path) { ftruncate(number, 0) }
  }

  func setMode(_ mode: UInt32, _ path: String) throws(FileError) {
    try retrying(path) { fchmod(number, mode_t(mode)) }
  }

  /// Flushes the written bytes, or a directory's entries, to the disk, so that they survive a power failure.
  func synchronize(_ path: String) throws(FileError) {
    #if canImport(Darwin)
    if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    do throws(FileError) {
      try retrying(path) { fsync(number) }
    } catch {
      // Some file systems (FUSE, SMB) do not support fsync of a directory and return EINVAL. Nothing more can be done
      // there.
      guard error.code == .io(errno: EINVAL), try status(path).kind == .directory else { throw error }
    }
  }

  /// Whether another process holds the advisory lock of the open file. Takes a shared lock for a moment to find out.
  func isLocked(_ path: String) throws(FileError) -> Bool {
    do throws(FileError) {
      try retrying(path) { flock(number, LOCK_SH | LOCK_NB) }
      flock(number, LOCK_UN)
      return false
    } catch {
      guard error.code == .busy else { throw error }
      return true
    }
  }

  /// Tries to take the advisory lock of the open file without waiting.
  ///
  /// - Returns: whether the lock is held now. It ends with the last descriptor, so it does not outlive its process.
  func tryLock(_ path: String) throws(FileError) -> Bool {
    do throws(FileError) {
      try retrying(path) { flock(number, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.code == .busy else { throw error }
      return false
    }
  }
}

/// Repeats a system call that was interrupted by a signal, and converts its failure to a ``FileError``. The number of
/// attempts is limited to 1,000, because a broken FUSE file system may always return EINTR.
@discardableResult
func retrying<Result: SignedInteger>(_ path: String, _ call: () -> Result) throws(FileError) -> Result {
  var attempts = 0
  while true {
    let result = call()
    if result != -1 { return result }
    let number = errno
    attempts += 1
    if number != EINTR || attempts > 1000 { throw FileError(Status.code(for: number), path) }
  }
}
