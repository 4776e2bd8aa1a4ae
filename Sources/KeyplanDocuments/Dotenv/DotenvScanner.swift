/// A line of a dotenv file as ranges of its source; head, value and tail make up all of it.
struct DotenvLine {
  /// Up to the value; a blank line or a comment is all head.
  var head = 0..<0
  /// Inside `head`; empty where nothing is assigned.
  var name = 0..<0
  /// As written, with its quotes.
  var value = 0..<0
  /// Behind the value, with the line's end.
  var tail = 0..<0
  var quotes = DotenvQuotes.none
  /// The line before it that assigns the same name.
  var earlier: Int?

  var isEmpty: Bool { head.isEmpty }
  /// Where the line ends in the source; the tail is empty where nothing stands behind the value, and so may the value be.
  var end: Int { !tail.isEmpty ? tail.upperBound : !value.isEmpty ? value.upperBound : head.upperBound }
}

/// Cuts a dotenv file into lines.
struct DotenvScanner {
  private(set) var cursor: Cursor

  init(_ bytes: [UInt8]) throws(DocumentError) {
    cursor = try Cursor(bytes)
    if let fault = bytes.firstIndex(of: 0) {
      throw cursor.error(.malformed, at: fault, "A dotenv file cannot hold NUL.")
    }
  }

  /// The next line, which spans several where its value is quoted.
  mutating func next() throws(DocumentError) -> DotenvLine? {
    guard !cursor.isAtEnd else { return nil }
    var line = DotenvLine()
    let start = cursor.offset
    cursor.take { $0.isBlank }
    guard let first = cursor.peek(), first != .hash, !first.endsLine else {
      comment()
      try lineEnd()
      line.head = start..<cursor.offset
      return line
    }
    line.name = try name()
    cursor.take { $0.isBlank }
    guard cursor.take(UInt8(ascii: "=")) else {
      throw cursor.error(.malformed, "A variable's name is followed by “=”.")
    }
    (line.value, line.quotes) = try value()
    line.head = start..<line.value.lowerBound
    // A shell takes `"a"#b` as one word, dotenv tools take a comment off: neither is right for sure.
    if !cursor.take(while: { $0.isBlank }).isEmpty { comment() }
    guard cursor.peek()?.endsLine != false else {
      throw cursor.error(.malformed, "Behind a quoted value only a comment may follow, after white space.")
    }
    try lineEnd()
    line.tail = line.value.upperBound..<cursor.offset
    return line
  }

  private mutating func name() throws(DocumentError) -> Range<Int> {
    let first = try word()
    guard cursor.bytes[first].elementsEqual("export".utf8), cursor.peek()?.isBlank == true else { return first }
    cursor.take { $0.isBlank }
    return cursor.peek() == UInt8(ascii: "=") ? first : try word()
  }

  private mutating func word() throws(DocumentError) -> Range<Int> {
    guard let first = cursor.peek(), first.isLetter || first == UInt8(ascii: "_") else {
      throw cursor.error(.malformed, "A line starts with a variable's name: a letter or an underscore.")
    }
    return cursor.take { $0.isLetter || $0.isDigit || "_.-".utf8.contains($0) }
  }

  private mutating func value() throws(DocumentError) -> (Range<Int>, DotenvQuotes) {
    let afterEquals = cursor.offset
    cursor.take { $0.isBlank }
    switch cursor.peek() {
    case .apostrophe: return (try quoted(.apostrophe), .single)
    case .quote: return (try quoted(.quote), .double)
    default: break
    }
    let start = cursor.offset
    var end = start
    var previous = start > afterEquals ? UInt8.space : 0
    while let byte = cursor.peek(), !byte.endsLine, !(byte == .hash && previous.isBlank) {
      cursor.offset += 1
      if !byte.isBlank { end = cursor.offset }
      previous = byte
    }
    // An empty value stands right behind “=”, so that one set there keeps the white space before its comment.
    let value = end == start ? afterEquals..<afterEquals : start..<end
    cursor.offset = value.upperBound
    return (value, .none)
  }

  private mutating func quoted(_ quote: UInt8) throws(DocumentError) -> Range<Int> {
    let start = cursor.offset
    cursor.offset += 1
    while let byte = cursor.peek() {
      if byte == .carriageReturn { try checkLineEnd() }
      cursor.offset += 1
      if byte == quote { return start..<cursor.offset }
      if byte == .backslash, quote == .quote, let escaped = cursor.peek(), escaped != .carriageReturn {
        cursor.offset += 1
      }
    }
    throw cursor.error(.malformed, at: start, "The quote that starts here has no end.")
  }

  private mutating func comment() {
    if cursor.peek() == .hash { cursor.take { !$0.endsLine } }
  }

  private mutating func lineEnd() throws(DocumentError) {
    try checkLineEnd()
    _ = cursor.take(.carriageReturn)
    _ = cursor.take(.lineFeed)
  }

  private func checkLineEnd() throws(DocumentError) {
    guard cursor.peek() != .carriageReturn || cursor.peek(1) == .lineFeed else {
      throw cursor.error(.malformed, "A carriage return is followed by a line feed; in a value it is written as \\r.")
    }
  }
}

extension UInt8 {
  fileprivate var endsLine: Bool { self == .lineFeed || self == .carriageReturn }
}
