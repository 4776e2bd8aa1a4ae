#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file or directory, closed when it goes out of scope.
///
/// `path` in each call is for the error only: what the person knows the file by.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Stands for the working directory in `open`, as `AT_FDCWD` does.
  static let workingDirectory = AT_FDCWD

  /// - Parameter mode: for a new file; the umask is taken off, so follow with `setMode`.
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

  /// The bytes from here to the end, of which there may be up to `limit`.
  ///
  /// The room is taken once, so that a secret leaves no copies in outgrown buffers.
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

  /// Makes what was written, or for a directory what was named in it, outlast a power cut.
  func synchronize(_ path: String) throws(FileError) {
    #if canImport(Darwin)
    if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    do throws(FileError) {
      try retrying(path) { fsync(number) }
    } catch {
      // Some file systems (FUSE, SMB) know no fsync of a directory and say so by EINVAL; there is nothing more to ask.
      guard error.code == .io(errno: EINVAL), try status(path).kind == .directory else { throw error }
    }
  }

  /// Whether somebody holds the advisory lock of the open file. For the moment of asking, nobody else can take it.
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

  /// Takes the advisory lock of the open file without waiting.
  ///
  /// - Returns: whether it is held now. It ends with the last descriptor, so a killed holder holds nothing.
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

/// Repeats a system call that a signal interrupted, and turns its failure into a ``FileError``. No signal comes a thousand times in
/// a row: whatever says so (a broken file system of FUSE does) would be asked for ever.
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
