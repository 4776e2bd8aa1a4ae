import KeyplanYAML

/// The lines of a YAML text as editors show them. They end with LF, CR LF or CR.
struct YAMLLines {
  let bytes: [UInt8]
  /// The start of the text, after a byte order mark.
  let base: Int
  /// The line end of the first line; a line feed if there is none.
  let newline: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    base = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let end = bytes.firstIndex { $0.isBreak } ?? bytes.count
    let isPair = bytes[end...].starts(with: [.carriageReturn, .lineFeed])
    newline = isPair ? [.carriageReturn, .lineFeed] : end < bytes.count ? [bytes[end]] : [.lineFeed]
  }

  /// The start of the line that contains `offset`.
  func start(of offset: Int) -> Int {
    var start = offset
    while start > base, !bytes[start - 1].isBreak { start -= 1 }
    return start
  }

  /// The end of the line that contains `offset`, after its line end.
  func end(of offset: Int) -> Int {
    var end = offset
    while end < bytes.count, !bytes[end].isBreak { end += 1 }
    guard end < bytes.count else { return end }
    return end + (bytes[end...].starts(with: [.carriageReturn, .lineFeed]) ? 2 : 1)
  }

  /// The end of the last line of a node that ends at `offset`: a `|` scalar ends at the start of the next line.
  func endOfLast(_ offset: Int) -> Int { offset > base && bytes[offset - 1].isBreak ? offset : end(of: offset) }

  /// Whether only blanks precede `offset` on its line.
  func isFirst(_ offset: Int) -> Bool { bytes[start(of: offset)..<offset].allSatisfy(\.isBlank) }

  /// The distance of `offset` from the start of its line.
  func column(of offset: Int) -> Int { offset - start(of: offset) }

  /// A line without content; with its indentation in spaces if it is a comment.
  enum Filler: Equatable { case blank, comment(indentation: Int) }

  /// The kind of the line at `start`, if it has no content.
  func filler(at start: Int) -> Filler? {
    var offset = start
    while offset < bytes.count, bytes[offset] == .space { offset += 1 }
    let indentation = offset - start
    while offset < bytes.count, bytes[offset].isBlank { offset += 1 }
    guard offset < bytes.count, !bytes[offset].isBreak else { return .blank }
    return bytes[offset] == .hash ? .comment(indentation: indentation) : nil
  }

  /// The end of the comments after `offset`, a line's start, that are indented by at least `indentation`.
  func endOfComments(_ offset: Int, indentedBy indentation: Int) -> Int {
    var (end, next) = (offset, offset)
    while next < bytes.count, let filler = filler(at: next) {
      next = self.end(of: next)
      if case .comment(let actual) = filler {
        guard actual >= indentation else { break }
        end = next
      }
    }
    return end
  }

  /// The start of the comments directly above the line at `start` that have the same indentation. Comments at the
  /// beginning of the file belong to the file.
  func startOfComments(above start: Int, indentedBy indentation: Int) -> Int {
    var first = start
    while first > base {
      let line = self.start(
        of: first - (first > base + 1 && bytes[first - 2] == .carriageReturn && bytes[first - 1] == .lineFeed ? 2 : 1))
      guard filler(at: line) == .comment(indentation: indentation) else { return first }
      first = line
    }
    return start
  }

  static func place(_ mark: Mark) -> DocumentError.Place { DocumentError.Place(line: mark.line, column: mark.column) }

  /// The offset after the colon between a key and its absent value.
  func colon(after key: Node, of value: Node) -> Int? {
    guard let colon = bytes[key.end.offset...].firstIndex(where: { !$0.isBlank }), bytes[colon] == UInt8(ascii: ":"),
      colon < value.start.offset || value.start.offset == value.end.offset
    else { return nil }
    return colon + 1
  }

  /// Whether the node begins with an anchor or a tag.
  func hasProperties(_ node: Node) -> Bool {
    node.start.offset < node.end.offset && [UInt8(ascii: "&"), UInt8(ascii: "!")].contains(bytes[node.start.offset])
  }
}

extension UInt8 {
  var isBreak: Bool { self == .lineFeed || self == .carriageReturn }
}
