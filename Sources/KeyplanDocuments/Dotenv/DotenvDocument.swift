/// A dotenv file: one `NAME=value` a line, read and edited in place.
///
/// - A line is blank, a `#` comment or an assignment: `export ` may stand before the name, spaces and tabs around both
///   and around `=`. Names are `[A-Za-z_][A-Za-z0-9_.-]*`.
/// - A bare value is what stands on the line without the white space around it: backslashes, quotes inside it, `$` and
///   backticks are plain characters. A comment after it needs white space before its `#`.
/// - `'…'` is literal. `"…"` knows `\n`, `\r`, `\t`, `\"`, `\\`, `\$` and `` \` ``; another backslash stays, as in a shell.
///   Both may span lines, and each line end in them reads as one line feed. Behind them only a comment may follow.
/// - Nothing is ever expanded: `$2a$10$…` and `${X}` are their own characters.
/// - Of several assignments to a name the last one counts, as for all dotenv tools: it is the one read and
///   edited. Removing the name removes all of them.
/// - Anything else is an error with its place. So are NUL and a carriage return without a line feed, which tools read differently.
///
/// What is written keeps the quotes that are there if they can hold the value, and otherwise takes none, `'…'` or `"…"`,
/// whichever comes first that this reader, python-dotenv and a POSIX shell's `.` all read back as the same value. Three kinds
/// of value have no such form:
/// - a carriage return becomes `\r`, which a shell does not know;
/// - `$` or a backtick beside `'`, `\\` or a final `\` gets a backslash in front, which python-dotenv keeps;
///   left bare, a shell would run what stands there;
/// - `${X}` is expanded by python-dotenv in any quotes, unless it is told `interpolate=False`.
package struct DotenvDocument: EditableDocument {
  /// The file, and behind it all text written since: every piece of a line is a range of it.
  private var source: [UInt8]
  private let byteOrderMark: Range<Int>
  private let newline: [UInt8]
  private var lines: [DotenvLine] = []
  /// The line of each name that counts; it knows the one before it.
  private var assignments: [DotenvName: Int] = [:]

  /// Reads a dotenv file; an empty one has no names.
  package init(_ bytes: [UInt8]) throws(DocumentError) {
    source = bytes
    var scanner = try DotenvScanner(bytes)
    byteOrderMark = 0..<scanner.cursor.offset
    let firstEnd = bytes.firstIndex(of: .lineFeed) ?? 0
    newline = firstEnd > 0 && bytes[firstEnd - 1] == .carriageReturn ? [.carriageReturn, .lineFeed] : [.lineFeed]
    while var line = try scanner.next() {
      if !line.name.isEmpty {
        line.earlier = assignments.updateValue(lines.count, forKey: DotenvName(bytes[line.name]))
      }
      lines.append(line)
    }
  }

  /// The names, each once, in the order of the lines that count.
  package var names: [String] {
    lines.indices.lazy
      .map { (line: $0, name: DotenvName(source[lines[$0].name])) }
      .filter { assignments[$0.name] == $0.line }
      .map(\.name.text)
  }

  /// The value of the variable `name`: always text.
  package func value(at name: String) -> DocumentValue? {
    assignments[DotenvName(name)].map { .text(value(of: lines[$0])) }
  }

  /// The file as it is now.
  package var bytes: [UInt8] {
    var bytes = Array(source[byteOrderMark])
    bytes.reserveCapacity(source.count)
    for line in lines {
      bytes += source[line.head]
      bytes += source[line.value]
      bytes += source[line.tail]
    }
    return bytes
  }

  /// Replaces the value of `name` in its place, or adds a line at the end.
  ///
  /// - Throws: ``DocumentError/Code/invalidValue`` for a value with NUL or that is not UTF-8;
  ///   ``DocumentError/Code/invalidName`` for a new name that no shell could set.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    guard !value.contains(0) else {
      throw DocumentError(.invalidValue, "A variable's value cannot hold NUL.")
    }
    guard invalidUTF8(in: value) == nil else {
      throw DocumentError(.invalidValue, "The value is not UTF-8.")
    }
    guard let index = assignments[DotenvName(name)] else { return try append(name, value) }
    guard self.value(of: lines[index]) != value else { return }
    lines[index].quotes = DotenvQuotes.holding(value, preferring: lines[index].quotes)
    lines[index].value = write(lines[index].quotes.around(value))
  }

  /// Removes every line that assigns `name`.
  package mutating func remove(_ name: String) {
    var next = assignments.removeValue(forKey: DotenvName(name))
    while let index = next {
      next = lines[index].earlier
      lines[index] = DotenvLine()
    }
  }

  private mutating func append(_ name: String, _ value: [UInt8]) throws(DocumentError) {
    let name = Array(name.utf8)
    guard let first = name.first, !first.isDigit,
      name.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
    else {
      throw DocumentError(
        .invalidName, "A variable's name is letters, digits and underscores, and no digit comes first.")
    }
    // Only the last line of the original file can be without its end.
    if let last = lines.indices.last, !lines[last].isEmpty, source[lines[last].end - 1] != .lineFeed {
      lines[last].tail = write(source[lines[last].tail] + newline)
    }
    var line = DotenvLine()
    line.head = write(name + [UInt8(ascii: "=")])
    line.name = line.head.dropLast()
    line.quotes = DotenvQuotes.holding(value, preferring: .none)
    line.value = write(line.quotes.around(value))
    line.tail = write(newline)
    assignments[DotenvName(name)] = lines.count
    lines.append(line)
  }

  private mutating func write(_ text: some Sequence<UInt8>) -> Range<Int> {
    let start = source.count
    source += text
    return start..<source.count
  }

  private func value(of line: DotenvLine) -> [UInt8] { line.quotes.read(source[line.value]) }
}

/// A name by its bytes: strings would equate different ones.
private struct DotenvName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }
  init(_ bytes: some Collection<UInt8>) { text = String(decoding: bytes, as: UTF8.self) }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
