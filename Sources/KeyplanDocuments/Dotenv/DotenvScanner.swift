/// A line of a dotenv file as ranges of its source; head, value and tail together are the whole line.
struct DotenvLine {
  /// The part before the value; for a blank line or a comment, the whole line.
  var head = 0..<0
  /// Inside `head`; empty if the line is not an assignment.
  var name = 0..<0
  /// As written, with its quotes.
  var value = 0..<0
  /// The part after the value, including the line end.
  var tail = 0..<0
  var quotes = DotenvQuotes.none
  /// Whether the value has text after its closing quote, as in a shell.
  var isJoined = false
  /// The previous line that assigns the same name.
  var earlier: Int?

  var isEmpty: Bool { head.isEmpty }
  /// The end of the line in the source; value and tail can be empty.
  var end: Int { !tail.isEmpty ? tail.upperBound : !value.isEmpty ? value.upperBound : head.upperBound }
}

/// Splits a dotenv file into lines.
struct DotenvScanner {
  private(set) var cursor: Cursor

  init(_ bytes: [UInt8]) throws(DocumentError) {
    cursor = try Cursor(bytes)
    if let fault = bytes.firstIndex(of: 0) {
      throw cursor.error(.malformed, at: fault, "A dotenv file cannot contain NUL.")
    }
  }

  /// The next assignment, comment or blank line. An assignment with a quoted value may span several lines.
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
      throw cursor.error(.malformed, "Expected \"=\" after the variable's name.")
    }
    (line.value, line.quotes) = try value()
    line.head = start..<line.value.lowerBound
    // In `"a"#b` a shell reads one word, while dotenv tools read a comment; neither is certainly right.
    if !cursor.take(while: { $0.isBlank }).isEmpty { comment() }
    if cursor.peek()?.endsLine == false {
      line.isJoined = true
      try joinedParts()
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
      throw cursor.error(.malformed, "Expected a variable's name, which begins with a letter or an underscore.")
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
    // An empty value is located directly after "=", so that setting it keeps the white space before a comment.
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
    throw cursor.error(.malformed, at: start, "The quoted value that starts here is not terminated.")
  }

  /// The rest of a line that a shell joins to its quoted value.
  ///
  /// - Throws: ``DocumentError/Code/malformed`` if a shell would continue the value in the next line: the other names are then
  ///   uncertain, too.
  private mutating func joinedParts() throws(DocumentError) {
    let start = cursor.offset
    var open: UInt8?
    var previous: UInt8 = 0
    while let byte = cursor.peek(), !byte.endsLine {
      if byte == .hash, open == nil, previous.isBlank { return comment() }
      cursor.offset += 1
      previous = byte
      switch (byte, open) {
      case (.backslash, nil), (.backslash, .some(.quote)):
        guard cursor.peek()?.endsLine == false else {
          open = .backslash
          break
        }
        cursor.offset += 1
      case (.apostrophe, nil), (.quote, nil): open = byte
      case (.apostrophe, .some(.apostrophe)), (.quote, .some(.quote)): open = nil
      default: break
      }
    }
    guard open == nil else {
      throw cursor.error(
        .malformed, at: start, "Expected the end of the line, or white space and a comment, after a quoted value.")
    }
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
      throw cursor.error(.malformed, "Expected a line feed after a carriage return; write \\r for one in a value.")
    }
  }
}

extension UInt8 {
  fileprivate var endsLine: Bool { self == .lineFeed || self == .carriageReturn }
}
