/// A buffer for text output. Tracks its column, breaks lines at the width, leaves no space at a line's end, and removes foreign control
/// characters.
package struct Page {
  /// The style of the text.
  package let style: Style
  private var bytes: [UInt8] = []
  private var column = 0
  private var pending = 0
  /// The colour that the buffer ends in, with where; the next words in it need no second pair of codes.
  private var painted: (tint: Tint, end: Int)?

  package init(style: Style, reserving count: Int = 1024) {
    self.style = style
    bytes.reserveCapacity(count)
  }

  /// The text so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The width in columns.
  package var width: Int { style.width }

  /// Whether every word of the text has room in lines that begin at a column.
  package func hasRoom(for text: String, at column: Int) -> Bool {
    column + Glyphs.columns(of: text) <= width
      || text.split(separator: " ").allSatisfy { column + Glyphs.columns(of: $0) <= width }
  }

  /// Sets text at the current column, without breaking it.
  package mutating func put(_ text: some StringProtocol, _ tint: Tint? = nil) {
    guard !text.isEmpty else { return }
    let paint = style.usesColour ? tint : nil
    let goesOn = paint != nil && painted?.tint == paint && painted?.end == bytes.count
    if goesOn { bytes.removeLast(Self.reset.count) }
    if pending > 0 {
      bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: pending))
      column += pending
      pending = 0
    }
    if let paint, !goesOn { bytes.append(contentsOf: "\u{1b}[\(paint.rawValue)m".utf8) }
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    if bytes[start...].allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
      column += bytes.count - start
    } else {
      bytes.removeSubrange(start...)
      bytes.append(contentsOf: Glyphs.visible(String(text)).utf8)
      column += Glyphs.columns(of: text)
    }
    guard let paint else { return }
    bytes.append(contentsOf: Self.reset)
    painted = (paint, bytes.count)
  }

  private static let reset = Array("\u{1b}[0m".utf8)

  /// Moves on to a column, counted from 0; by at least `gap` columns if it is passed already.
  package mutating func move(to target: Int, gap: Int = 0) { pending = max(target - column, column == 0 ? 0 : gap) }

  /// Ends the line.
  package mutating func end() {
    bytes.append(UInt8(ascii: "\n"))
    column = 0
    pending = 0
  }

  /// Sets words at the current column and continues at `indent` in the following lines. A word is never cut; a run is kept together if it
  /// fits in a line.
  package mutating func flow(_ runs: some Sequence<Run>, indent: Int) {
    for run in runs where !run.text.isEmpty {
      let size = Glyphs.columns(of: run.text)
      if place(run.text, run.tint, size, gap: run.gap, indent: indent) { continue }
      var gap = run.gap
      for word in run.text.split(separator: " ") {
        if !place(word, run.tint, Glyphs.columns(of: word), gap: gap, indent: indent) {
          breakLine(indent)
          put(word, run.tint)
        }
        gap = 1
      }
    }
  }

  /// Sets a sentence or more, as `flow` does. Text between backticks is to be pasted, and is kept together.
  package mutating func prose(_ text: String, indent: Int, _ tint: Tint? = nil) {
    var open: String?
    var gap = 0
    for word in text.split(separator: " ") {
      let isOdd = word.utf8.reduce(false) { $1 == UInt8(ascii: "`") ? !$0 : $0 }
      let opens = isOdd != (open != nil)
      if open == nil {
        open = String(word)
      } else {
        // In place, because the text between two backticks can be long.
        open?.append(" ")
        open?.append(contentsOf: word)
      }
      guard !opens, let words = open else { continue }
      flow(CollectionOfOne(Run(words, tint, gap: gap)), indent: indent)
      (open, gap) = (nil, 1)
    }
    // An unclosed backtick.
    if let open { flow(CollectionOfOne(Run(open, tint, gap: gap)), indent: indent) }
  }

  private mutating func place(
    _ text: some StringProtocol, _ tint: Tint?, _ size: Int, gap: Int, indent: Int
  ) -> Bool {
    let isFresh = column + pending <= indent
    if !isFresh { pending = max(pending, gap) }
    if column + pending + size > width {
      guard !isFresh, indent + size <= width else { return false }
      breakLine(indent)
    }
    put(text, tint)
    return true
  }

  private mutating func breakLine(_ indent: Int) {
    if column > 0, column + pending > indent { end() }
    pending = max(0, indent - column)
  }
}

/// Words that are kept on one line if possible.
package struct Run: Hashable, Sendable {
  /// The words.
  package let text: String
  /// Their colour.
  package let tint: Tint?
  /// The number of spaces before it within a line.
  package let gap: Int

  package init(_ text: String, _ tint: Tint? = nil, gap: Int = 1) {
    self.text = text
    self.tint = tint
    self.gap = gap
  }

  /// A run that begins a new particular, set off by three spaces.
  package static func apart(_ text: String, _ tint: Tint? = nil) -> Run { Run(text, tint, gap: 3) }

  /// Phrases as one sentence, separated by commas and ended by a full stop. No phrases, no sentence.
  package static func list(_ phrases: [String], lead: String = "") -> [Run] {
    phrases.enumerated().map { index, phrase in
      Run((index == 0 ? lead : "") + phrase + (index == phrases.count - 1 ? "." : ","))
    }
  }
}
