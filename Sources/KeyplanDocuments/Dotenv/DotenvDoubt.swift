/// The reason that other programs read a value of a dotenv file differently.
package enum DotenvDoubt: Hashable, Sendable {
  /// A `#` in a value without quotes: Node, Ruby's dotenv and phpdotenv read the rest of the line as a comment.
  case hash
  /// A value in backticks: Node reads them as quotes, a shell runs the text in them.
  case backticks
  /// An escape in `"…"` that Node does not know.
  case escape
  /// A value with text after its closing quote (`'a'\''b'`), which only a shell concatenates.
  case joined

  /// The reason in words that follow the value's name.
  package var reason: String {
    switch self {
    case .hash: "contains # without quotes, where Node, Ruby and PHP see a comment begin"
    case .backticks: "is in backticks, which Node reads as quotes"
    case .escape: "has a backslash in double quotes, which Node does not read as an escape"
    case .joined: "has text after its closing quote, which only a shell appends"
    }
  }

  /// - Parameter written: the value with its quotes.
  init?(_ written: ArraySlice<UInt8>, in quotes: DotenvQuotes) {
    switch quotes {
    case .single: return nil
    case .none:
      if written.contains(.hash) {
        self = .hash
      } else if written.count > 1, written.first == .backtick, written.last == .backtick {
        self = .backticks
      } else {
        return nil
      }
    case .double:
      // Node ends at an escaped quote and leaves every other backslash but that of `\n` where it is.
      let isEscaped = zip(written, written.dropFirst()).contains { byte, next in
        byte == .backslash && next != UInt8(ascii: "n")
      }
      guard isEscaped else { return nil }
      self = .escape
    }
  }
}
