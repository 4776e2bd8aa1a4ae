import KeyplanYAML

extension YAMLText {
  /// Indents block collections by two spaces a level, with one space after each dash, and after each colon that has its
  /// value on the same line. Comments and the further lines of a value move with what they belong to; the inside of
  /// brackets stays as it is. A text in a form for which this cannot be done safely stays as it is.
  package mutating func indent() {
    guard let root, case let layout = YAMLLayout(of: root, in: lines), let splices = layout.splices,
      splices.contains(where: { !bytes[$0.range].elementsEqual($0.bytes) })
    else { return }
    try? splice(splices, toRead: Outline(root), at: root)
  }
}

/// The positions of the names and dashes of block collections, and their intended columns.
private struct YAMLLayout {
  /// The start of a name or a dash.
  struct Spot {
    let offset: Int
    let line: Int
    let column: Int
    let target: Int
    var shift: Int { target - column }
  }

  private let lines: YAMLLines
  /// In the order of the text.
  private var spots: [Spot] = []
  /// The blanks after dashes, and colons with the blanks around them.
  private var gaps: [(range: Range<Int>, bytes: [UInt8])] = []
  /// Values that are not block collections, from their name or dash, which moves them.
  private var values: [(spot: Int, end: Int)] = []
  private var isSupported = true

  init(of root: Node, in lines: YAMLLines) {
    self.lines = lines
    visit(root, column: 0)
  }

  private mutating func visit(_ node: Node, column: Int) {
    guard node.layout == .block, node.origin != .alias else { return }
    switch node.content {
    case .scalar: break
    case .mapping(let entries):
      for entry in entries {
        guard entry.key.layout == .flow, entry.key.start.line == entry.key.end.line else { return isSupported = false }
        add(entry.key.start.offset, column)
        add(entry.value, column: column) { lines in
          let gap = entry.key.end.offset..<max(entry.key.end.offset, entry.value.start.offset)
          let text = lines.bytes[gap].drop(while: \.isBlank)
          guard text.first == UInt8(ascii: ":"), text.count > 1, text.dropFirst().allSatisfy(\.isBlank) else {
            return nil
          }
          return (gap, [UInt8(ascii: ":"), .space])
        }
      }
    case .sequence(let items):
      for item in items {
        let line = lines.start(of: item.start.offset)
        guard let dash = lines.bytes[line..<item.start.offset].lastIndex(where: { !$0.isBlank }),
          lines.bytes[dash] == UInt8(ascii: "-"), item.start.offset > dash + 1
        else { return isSupported = false }
        add(dash, column)
        gaps.append(((dash + 1)..<item.start.offset, [.space]))
        add(item, column: column) { _ in nil }
      }
    }
  }

  private mutating func add(_ offset: Int, _ column: Int) {
    let line = lines.start(of: offset)
    spots.append(Spot(offset: offset, line: line, column: offset - line, target: column))
  }

  /// Adds the value of the last spot.
  private mutating func add(
    _ value: Node, column: Int, gap: (YAMLLines) -> (range: Range<Int>, bytes: [UInt8])?
  ) {
    let isScalar = if case .scalar = value.content { true } else { false }
    if value.layout == .block, !isScalar, value.origin != .alias { return visit(value, column: column + 2) }
    values.append((spots.count - 1, value.end.offset))
    if value.start.offset < value.end.offset, let gap = gap(lines) { gaps.append(gap) }
  }

  /// Nil for an unsupported form.
  var splices: [(range: Range<Int>, bytes: [UInt8])]? {
    guard isSupported else { return nil }
    var splices = gaps
    var spot = spots.startIndex
    var value = values.startIndex
    var line = lines.base
    while line < lines.bytes.count {
      let next = lines.end(of: line)
      let indentation = lines.bytes[line..<next].prefix { $0 == .space }.count
      while value < values.endIndex, values[value].end <= line { value += 1 }
      var shift = 0
      if spot < spots.endIndex, spots[spot].line == line {
        // A dash, or the first of several, is first on its line; what follows it is moved by the gap after it.
        guard spots[spot].column == indentation else { return nil }
        shift = spots[spot].shift
        while spot < spots.endIndex, spots[spot].line == line { spot += 1 }
      } else if value < values.endIndex, spots[values[value].spot].offset < line {
        shift = spots[values[value].spot].shift
      } else if case .comment(let column) = lines.filler(at: line) {
        shift = self.shift(ofComment: column, before: spot)
      }
      if shift != 0, next > line {
        let width = max(0, indentation + shift)
        splices.append((line..<(line + indentation), Array(repeating: .space, count: width)))
      }
      line = next
    }
    return splices
  }

  /// The distance that a comment moves: with the entry below it in the same column, or with the one above that it belongs to.
  private func shift(ofComment column: Int, before next: Int) -> Int {
    if next < spots.endIndex, spots[next].column == column { return spots[next].shift }
    return spots[..<next].last { $0.column <= column }?.shift ?? 0
  }
}
