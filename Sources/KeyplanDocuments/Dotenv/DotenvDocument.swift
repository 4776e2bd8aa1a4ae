import KeyplanJSON

/// A dotenv file: one `NAME=value` per line, edited in place.
///
/// - A line is blank, a `#` comment or an assignment: the name may be preceded by `export `, and spaces and tabs are
///   allowed around both and around `=`. Names are `[A-Za-z_][A-Za-z0-9_.-]*`.
/// - An unquoted value is the rest of the line without surrounding white space: backslashes, quotes inside it, `$` and
///   backticks are ordinary characters. A comment after it must be preceded by white space.
/// - `'…'` is literal. `"…"` has the escapes `\n`, `\r`, `\t`, `\"`, `\\`, `\$` and `` \` ``; any other backslash is
///   kept, as in a shell. Both may span lines, with each line end read as one line feed. Only a comment may follow
///   them.
/// - Nothing is ever expanded: `$2a$10$…` and `${X}` are literal.
/// - If a name is assigned several times, the last one counts, as in all dotenv tools: it is the one read and edited.
///   Removing the name removes all of them.
/// - A value with text after its closing quote (`'a'\''b'`), which only a shell concatenates, is neither read nor edited;
///   the other names are.
/// - Anything else is an error with its position, including NUL and a carriage return without a line feed, on which
///   tools disagree.
///
/// A new value keeps the existing quotes if all of ``DotenvReader`` read it in them. Otherwise it is written without
/// quotes, in `'…'` or in `"…"`, whichever comes first that all of them read as the same value. These have no such form:
/// - a carriage return is written as `\r`, which shells and Node's own parser do not interpret;
/// - an apostrophe together with `"`, `\`, `$` or a backtick, and a final `\`, need `"…"` with backslashes, which Node keeps;
///   without them, a shell would expand or end the value;
/// - python-dotenv reads `\\` as one backslash in any quotes, and expands `${X}` unless `interpolate=False`.
package struct DotenvDocument: EditableDocument {
  /// The file, followed by all text written since: every part of a line is a range of it.
  private var source: [UInt8]
  private let byteOrderMark: Range<Int>
  private let newline: [UInt8]
  private var lines: [DotenvLine] = []
  /// The effective line of each name, which refers to the previous one.
  private var assignments: [DotenvName: Int] = [:]

  /// Parses a dotenv file; an empty one has no names.
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

  /// The names without duplicates, in the order of their effective lines.
  package var names: [String] {
    lines.indices.lazy
      .map { (line: $0, name: DotenvName(source[lines[$0].name])) }
      .filter { assignments[$0.name] == $0.line }
      .map(\.name.text)
  }

  package func value(at name: String) -> DocumentValue? {
    assignments[DotenvName(name)].map { lines[$0].isJoined ? .other(.joined) : .text(value(of: lines[$0])) }
  }

  /// The reason that other programs do not read the value of `name` as it is read here; nil if they do.
  package func doubt(about name: String) -> DotenvDoubt? {
    assignments[DotenvName(name)].flatMap { index in
      lines[index].isJoined ? .joined : DotenvDoubt(source[lines[index].value], in: lines[index].quotes)
    }
  }

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

  /// Replaces the value of `name` in place, or adds a line at the end.
  ///
  /// - Throws: ``DocumentError/Code/invalidValue`` for a value that contains NUL or is not UTF-8;
  ///   ``DocumentError/Code/invalidName`` for a new name that a shell cannot set.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    guard !value.contains(0) else {
      throw DocumentError(.invalidValue, "A variable's value cannot contain NUL.")
    }
    guard invalidUTF8(in: value) == nil else {
      throw DocumentError(.invalidValue, "The value is not UTF-8.")
    }
    guard let index = assignments[DotenvName(name)] else { return try append(name, value) }
    guard !lines[index].isJoined else { throw joined(at: index) }
    guard self.value(of: lines[index]) != value else { return }
    lines[index].quotes = DotenvQuotes.holding(value, preferring: lines[index].quotes)
    lines[index].value = write(lines[index].quotes.around(value))
  }

  /// Removes every line that assigns `name`.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if one of them has a value whose end is not certain.
  package mutating func remove(_ name: String) throws(DocumentError) {
    var next = assignments[DotenvName(name)]
    while let index = next {
      if lines[index].isJoined { throw joined(at: index) }
      next = lines[index].earlier
    }
    next = assignments.removeValue(forKey: DotenvName(name))
    while let index = next {
      next = lines[index].earlier
      lines[index] = DotenvLine()
    }
  }

  private func joined(at index: Int) -> DocumentError {
    DocumentError(
      .notEditable, at: Cursor.place(of: lines[index].value.upperBound, in: source),
      "There is text after the closing quote. Write the value in one pair of quotes.")
  }

  private mutating func append(_ name: String, _ value: [UInt8]) throws(DocumentError) {
    let name = Array(name.utf8)
    guard let first = name.first, !first.isDigit,
      name.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
    else {
      throw DocumentError(
        .invalidName, "A variable's name consists of letters, digits and underscores, and does not begin with a digit.")
    }
    // Only the last line of the original file can lack a line end.
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

/// Compares names by their bytes: strings treat different ones as equal.
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
