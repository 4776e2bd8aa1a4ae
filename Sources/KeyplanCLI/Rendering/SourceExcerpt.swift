import KeyplanCore

/// One line of a file with its number, and `^~~~` under what is meant.
struct SourceExcerpt {
  private let number: String
  private let shown: String
  private let caretColumn: Int
  private let caretWidth: Int
  private let total: Int

  /// Tabs become spaces, to every fourth column; carets count terminal columns, places count code points.
  init(_ line: String, at place: Place) {
    number = String(place.line)
    var text = ""
    var column = 0
    var start: Int?
    var end: Int?
    for (index, scalar) in line.unicodeScalars.enumerated() {
      if index == place.column - 1 { start = column }
      if index == place.column - 1 + place.width { end = column }
      if scalar == "\t" {
        let size = 4 - column % 4
        text += String(repeating: " ", count: size)
        column += size
      } else if Glyphs.isUnsafe(scalar) {
        let written = Glyphs.escaped(scalar)
        text += written
        column += written.utf8.count
      } else {
        text.unicodeScalars.append(scalar)
        column += Glyphs.columns(of: scalar)
      }
    }
    shown = text
    total = column
    caretColumn = start ?? column
    caretWidth = max(1, (end ?? column) - caretColumn)
  }

  /// Sets both lines. A line that is too long is shown around its caret.
  func put(on page: inout Page) {
    let gutter = max(number.utf8.count + 4, 7)
    let room = page.width - gutter - 3
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

  private func window(_ room: Int, mark: String) -> (line: String, shift: Int) {
    guard total > room else { return (shown, 0) }
    let markWidth = Glyphs.columns(of: mark)
    // A third of the room goes to what stands before the caret.
    let from = min(max(0, caretColumn - room / 3), max(0, total - room))
    var line = from > 0 ? mark : ""
    var column = 0
    var used = from > 0 ? markWidth : 0
    var first: Int?
    for scalar in shown.unicodeScalars {
      let size = Glyphs.columns(of: scalar)
      defer { column += size }
      guard column >= from + (from > 0 ? markWidth : 0) else { continue }
      if first == nil { first = column }
      guard used + size <= room - (column + size < total ? markWidth : 0) else {
        line += mark
        break
      }
      line.unicodeScalars.append(scalar)
      used += size
    }
    return (line, from > 0 ? (first ?? from) - markWidth : 0)
  }
}
