package import KeyplanModel

/// One line of a file, measured once for all excerpts of it.
package struct SourceLine {
  fileprivate let scalars: [Unicode.Scalar]
  /// The terminal column at which each scalar begins, and the one after the last.
  fileprivate let columns: [Int32]

  /// Tabs become spaces, to every fourth column; places count code points.
  package init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    var columns: [Int32] = [0]
    columns.reserveCapacity(scalars.count + 1)
    var column: Int32 = 0
    for scalar in scalars {
      if scalar == "\t" {
        column += 4 - column % 4
      } else {
        column += Int32(Glyphs.isUnsafe(scalar) ? Glyphs.escaped(scalar).utf8.count : Glyphs.columns(of: scalar))
      }
      columns.append(column)
    }
    self.columns = columns
  }

  fileprivate var width: Int { Int(columns.last ?? 0) }

  /// A scalar as it is shown: its replacement if it has one.
  fileprivate func shown(_ index: Int) -> [Unicode.Scalar] {
    let scalar = scalars[index]
    if scalar == "\t" { return Array(repeating: " ", count: Int(columns[index + 1] - columns[index])) }
    return Glyphs.isUnsafe(scalar) ? Array(Glyphs.escaped(scalar).unicodeScalars) : [scalar]
  }

  /// The first scalar that reaches a column.
  fileprivate func index(reaching column: Int) -> Int {
    var (low, high) = (0, scalars.count)
    while low < high {
      let middle = (low + high) / 2
      if columns[middle + 1] < column { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A line of a file with its number, and `^~~~` under the place. Its cost grows with the page's width, not with the line's.
package struct SourceExcerpt {
  private let number: String
  private let line: SourceLine
  private let caretColumn: Int
  private let caretWidth: Int

  /// The number of columns shown of a line if pages have no width.
  private static let widest = 160

  package init(_ line: SourceLine, at place: FileLocation) {
    self.line = line
    number = String(place.line)
    let count = line.scalars.count
    let start = min(max(0, place.column - 1), count)
    let end = min(start + min(place.width, count), count)
    caretColumn = Int(line.columns[start])
    caretWidth = max(1, Int(line.columns[end]) - caretColumn)
  }

  /// Sets both lines. A line that is too long is shown around its caret.
  package func put(on page: inout Page) {
    let gutter = max(number.utf8.count + 4, 7)
    let room = min(page.width, Self.widest) - gutter - 3
    let (line, shift) = window(room, mark: page.style.text(.ellipsis))
    page.move(to: gutter - number.utf8.count)
    page.put("\(number) |", .faint)
    page.move(to: gutter + 3)
    page.put(line)
    page.end()
    page.move(to: gutter + 1)
    page.put("|", .faint)
    page.move(to: gutter + 3 + caretColumn - shift)
    let tail = min(caretWidth, max(1, room - caretColumn + shift)) - 1
    page.put("^" + String(repeating: "~", count: tail), .error)
    page.end()
  }

  private func window(_ room: Int, mark: String) -> (text: String, shift: Int) {
    let total = line.width
    let markWidth = Glyphs.columns(of: mark)
    let isCut = total > room
    // A third of the width is for the text before the caret.
    let from = isCut ? min(max(0, caretColumn - room / 3), max(0, total - room)) : 0
    let start = from > 0 ? from + markWidth : 0
    var text = from > 0 ? mark : ""
    var used = from > 0 ? markWidth : 0
    var first: Int?
    // Scalars without a width of their own would make a narrow window any length.
    var left = 8 * room
    for index in line.index(reaching: start)..<line.scalars.count {
      var column = Int(line.columns[index])
      for scalar in line.shown(index) {
        let size = Glyphs.columns(of: scalar)
        defer { column += size }
        guard column >= start else { continue }
        if first == nil { first = column }
        let end = used + size + (isCut && column + size < total ? markWidth : 0)
        guard end <= room, left > 0 else { return (text + mark, shift(from, first, markWidth)) }
        left -= 1
        text.unicodeScalars.append(scalar)
        used += size
      }
    }
    return (text, shift(from, first, markWidth))
  }

  private func shift(_ from: Int, _ first: Int?, _ markWidth: Int) -> Int { from > 0 ? (first ?? from) - markWidth : 0 }
}
