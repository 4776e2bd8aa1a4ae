internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A file, pipe or descriptor that accepts whole lines from any task. If its reader disappears or stops reading, no more
/// lines are written, and the work continues.
final class LineSink: Sendable {
  private let descriptor: Int32
  /// The size limit of one write, so that it is all or nothing: a pipe has a limit, a file has none.
  private let piece: Int
  private let hasFailed = Mutex(false)

  /// The maximum wait for a reader, in milliseconds.
  private static let patience: Int32 = 5000

  /// Opens a file and truncates it, a FIFO that has a reader, or `/dev/fd/N` as it is.
  ///
  /// - Parameter accepts: whether a file that begins with these bytes may be replaced. Called for the opened file.
  /// - Throws: `Refusal`.
  init(_ path: String, replacing accepts: ([UInt8]) -> Bool = { _ in true }) throws(Refusal) {
    let isGiven = Self.descriptor(at: path) != nil
    let opened = try Self.open(path)
    var status = stat()
    fstat(opened, &status)
    let isFile = status.st_mode & S_IFMT == S_IFREG
    if isFile, !isGiven {
      do throws(Refusal) {
        try Self.cut(opened, accepts)
      } catch {
        close(opened)
        throw error
      }
    }
    descriptor = opened
    piece = isFile ? .max : Int(PIPE_BUF)
  }

  /// The descriptor named by a path such as `/dev/fd/3` or `/dev/stdout`.
  static func descriptor(at path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      let prefix = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
      return prefix.flatMap { Int32(path.dropFirst($0.count)) }
    }
  }

  private static func cut(_ file: Int32, _ accepts: ([UInt8]) -> Bool) throws(Refusal) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw .system(errno) }
    guard accepts(Array(bytes.prefix(count))) else { throw .foreign }
    guard ftruncate(file, 0) == 0 else { throw .system(errno) }
  }

  deinit { close(descriptor) }

  enum Refusal: Error, CustomStringConvertible {
    /// The file contains something else.
    case foreign
    /// It cannot be opened, by its `errno`.
    case system(Int32)

    var description: String {
      switch self {
      case .foreign: "it holds something else"
      case .system(let number): String(cString: strerror(number))
      }
    }
  }

  /// Writes a line. Returns false on the first failure; later calls do nothing.
  func write(_ line: String) -> Bool {
    hasFailed.withLock { hasFailed in
      guard !hasFailed else { return true }
      var line = line
      hasFailed = !line.withUTF8 { put(UnsafeRawBufferPointer($0)) }
      return !hasFailed
    }
  }

  private func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // A write to a full pipe would block forever.
      guard isReady() else { return false }
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(piece))
      let count = Glibc.write(descriptor, part.baseAddress, part.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func isReady() -> Bool {
    var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
      let count = poll(&question, 1, Self.patience)
      if count < 0, errno == EINTR { continue }
      return count == 1 && question.revents & Int16(POLLOUT) != 0
    }
  }

  private static func open(_ path: String) throws(Refusal) -> Int32 {
    if let number = descriptor(at: path) {
      // Opening it would truncate a file, and fails for a socket.
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { throw .system(errno) }
      return copy
    }
    var status = stat()
    // The content of a file is read before it is replaced; a FIFO that was opened for reading as well would always have a reader.
    let isNew = stat(path, &status) != 0
    let isFile = isNew || status.st_mode & S_IFMT == S_IFREG
    // With O_EXCL, a dangling link is not followed: it would create a file in a place that another user chose.
    let access = isFile ? O_RDWR | (isNew ? O_CREAT | O_EXCL : 0) : O_WRONLY
    for _ in 0..<(patience / 50) {
      // Without O_NONBLOCK, opening a FIFO without a reader would block forever.
      let opened = Glibc.open(path, access | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
      if opened >= 0 { return opened }
      guard errno == ENXIO || errno == EINTR else { break }
      usleep(50_000)
    }
    throw .system(errno)
  }
}
