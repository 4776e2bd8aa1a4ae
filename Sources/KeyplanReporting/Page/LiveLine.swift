/// The progress line of a terminal: the number of finished steps, and the steps in progress.
package struct LiveLine: Hashable, Sendable {
  /// The number of steps; nil if unknown before the end.
  package var total: Int?
  package var done: Int
  /// The steps in progress, `syncing target.app`, in the order in which they began.
  package var waiting: [String]

  package init(total: Int? = nil, done: Int = 0, waiting: [String] = []) {
    self.total = total
    self.done = done
    self.waiting = waiting
  }

  /// `[2/7] syncing target.app, syncing target.web …`; cut where it would wrap, because a line that wraps cannot be
  /// overwritten. Without a line feed.
  package func text(_ style: Style) -> String {
    let mark = style.text(.ellipsis)
    let count = total.map { "[\(done)/\($0)] " } ?? ""
    let line = Glyphs.visible(count + waiting.joined(separator: ", ") + (waiting.isEmpty ? "" : " ") + mark)
    let room = style.width - 1
    guard Glyphs.columns(of: line) > room else { return line }
    var cut = ""
    var used = Glyphs.columns(of: mark)
    for scalar in line.unicodeScalars {
      used += Glyphs.columns(of: scalar)
      guard used <= room else { break }
      cut.unicodeScalars.append(scalar)
    }
    return cut + mark
  }

  package mutating func began(_ name: String) { waiting.append(name) }

  package mutating func ended(_ name: String) {
    if let index = waiting.firstIndex(of: name) { waiting.remove(at: index) }
  }
}
