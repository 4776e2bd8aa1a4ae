internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A file, pipe or descriptor that takes whole lines from any task. A reader that has gone, or stopped reading, ends the
/// lines and never the work.
final class LineSink: Sendable {
  private let descriptor: Int32
  /// What one write may hold, so that it is all or nothing: a pipe has a bound, a file has none.
  private let piece: Int
  private let hasFailed = Mutex(false)

  /// How long somebody may take to begin reading, or to go on, in milliseconds.
  private static let patience: Int32 = 5000

  /// Opens a file, cut to nothing; a FIFO, which somebody must be about to read; or `/dev/fd/N`, which is taken as it is.
  /// - Throws: `Refusal`.
  init(_ path: String) throws(Refusal) {
    descriptor = try Self.open(path)
    var status = stat()
    fstat(descriptor, &status)
    piece = status.st_mode & S_IFMT == S_IFREG ? .max : Int(PIPE_BUF)
  }

  deinit { close(descriptor) }

  struct Refusal: Error {
    let reason: String
    init(_ number: Int32) { reason = String(cString: strerror(number)) }
  }

  /// Writes a line. Returns false the first time that this fails; after that nothing is tried any more.
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
      // A full pipe would wait for its reader for ever.
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
    if path.hasPrefix("/dev/fd/"), let number = Int32(path.dropFirst("/dev/fd/".count)) {
      // Opening it would begin a file anew, and fails for a socket.
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { throw Refusal(errno) }
      return copy
    }
    for _ in 0..<(patience / 50) {
      // Without O_NONBLOCK, a FIFO that nobody reads would wait for ever.
      let opened = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
      if opened >= 0 { return opened }
      guard errno == ENXIO || errno == EINTR else { break }
      usleep(50_000)
    }
    throw Refusal(errno)
  }
}
