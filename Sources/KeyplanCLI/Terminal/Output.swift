internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One of the program's two streams. If the reader disappears, output ends but the work continues; a full or failing disk is
/// remembered, so that no command has to look for it.
final class Output: Sendable {
  let descriptor: Int32
  /// Set if a CI service reads the stream: prevents texts from being interpreted as its commands.
  private let guarding: Mutex<CommandGuard?>
  /// The first `errno` with which output was lost.
  private let loss = Mutex<Int32?>(nil)
  /// The bytes written so far; nil for a stream.
  private let memory: Mutex<[UInt8]?>

  /// Keeps the output in memory.
  init() {
    descriptor = -1
    guarding = Mutex(nil)
    memory = Mutex([])
  }

  /// The text written so far; empty for a stream.
  var taken: String { memory.withLock { String(decoding: $0 ?? [], as: UTF8.self) } }

  init(descriptor: Int32, isReadByCI: Bool = false) {
    self.descriptor = descriptor
    memory = Mutex(nil)
    guarding = Mutex(isReadByCI ? CommandGuard() : nil)
  }

  /// Writes the text, as far as the reader accepts it. No line of it is interpreted as a CI command.
  func write(_ text: String) {
    writeAsItIs(guarding.withLock { $0?.guarded(text) } ?? text)
  }

  /// The same for keyplan's own CI commands, and for output that programs read.
  func writeAsItIs(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes the bytes, as far as the reader accepts them.
  /// - Returns: whether all of them were written; if not, `errno` has the reason.
  @discardableResult
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let number = put(bytes) else { return true }
    // A pipe whose reader has exited: the rest is not needed.
    if number != EPIPE { lose(number) }
    errno = number
    return false
  }

  /// Writes bytes that are useless if incomplete: a reader that stops early also counts as a loss.
  func writeWhole(_ bytes: UnsafeRawBufferPointer) {
    if let number = put(bytes) { lose(number) }
  }

  /// Whether output is known to be lost.
  var hasLost: Bool { loss.withLock { $0 != nil } }

  /// Ends the stream.
  /// - Returns: the reason that output was lost; nil if it was not, or if the reader closed the stream.
  func finish() -> String? {
    // A network file system may report only now that the disk is full.
    if close(descriptor) != 0, errno != EBADF, errno != EINTR { lose(errno) }
    return loss.withLock { $0 }.map { String(cString: strerror($0)) }
  }

  private func lose(_ number: Int32) {
    loss.withLock { $0 = $0 ?? number }
  }

  /// - Returns: the `errno` at which it ended early.
  private func put(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    let isKept = memory.withLock { memory in
      memory?.append(contentsOf: bytes)
      return memory != nil
    }
    guard !isKept else { return nil }
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

  /// Another process that shares the pipe or terminal may have made it non-blocking.
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
