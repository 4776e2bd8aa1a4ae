#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One of the program's two streams. A reader that has gone away ends the output, not the work.
struct Output: Sendable {
  let descriptor: Int32

  /// Writes all of the text, or as much as somebody reads.
  func write(_ text: String) {
    var text = text
    _ = text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes all of the bytes. Returns whether they were all taken.
  @discardableResult
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
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
