internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One of the program's two streams. A reader that has gone away ends the output, not the work; a disk that is full, or fails, is
/// remembered, so that no command has to look for it.
final class Output: Sendable {
  let descriptor: Int32
  /// Where a CI service reads the stream: what keeps texts from being taken for commands to it.
  private let guarding: Mutex<CommandGuard?>
  /// The first `errno` at which something that was to be written was lost.
  private let loss = Mutex<Int32?>(nil)

  init(descriptor: Int32, isReadByCI: Bool = false) {
    self.descriptor = descriptor
    guarding = Mutex(isReadByCI ? CommandGuard() : nil)
  }

  /// Writes all of the text, or as much as somebody reads. No line of it is a command to the CI service that runs this.
  func write(_ text: String) {
    writeAsItIs(guarding.withLock { $0?.guarded(text) } ?? text)
  }

  /// The same for what keyplan itself tells the service, and for what programs read.
  func writeAsItIs(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes all of the bytes, or as much as somebody reads.
  /// - Returns: whether all of them were taken; if not, `errno` says why.
  @discardableResult
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let number = put(bytes) else { return true }
    // A pipe whose reader has ended, and a stream that was closed before the start: nobody wants the rest.
    if number != EPIPE, number != EBADF { lose(number) }
    errno = number
    return false
  }

  /// Writes bytes that are of no use in part: that nobody reads them to the end is a loss, too.
  func writeWhole(_ bytes: UnsafeRawBufferPointer) {
    if let number = put(bytes) { lose(number) }
  }

  /// Whether something that was to be written is known to be lost.
  var hasLost: Bool { loss.withLock { $0 != nil } }

  /// Ends the stream.
  /// - Returns: why not all that was written is there; nil if it is, or if nobody wanted it.
  func finish() -> String? {
    // A network file system may say only now that the disk is full.
    if close(descriptor) != 0, errno != EBADF, errno != EINTR { lose(errno) }
    return loss.withLock { $0 }.map { String(cString: strerror($0)) }
  }

  private func lose(_ number: Int32) {
    loss.withLock { $0 = $0 ?? number }
  }

  /// - Returns: the `errno` at which it ended early.
  private func put(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch count == 0 ? EIO : errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable()
      case let number: return number
      }
    }
    return nil
  }

  /// Somebody else who has the same pipe or terminal may have set it not to wait.
  private func waitUntilWritable() {
    var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&question, 1, -1)
  }

  /// Whether it is a terminal.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The terminal's width in columns; nil for anything else.
  var columns: Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
