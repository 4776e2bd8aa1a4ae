/// The text of an edit of a file: a unified diff.
package enum DiffText {
  /// - Parameters:
  ///   - shown: the replacement text for a line of either text, counted from 0; nil shows it unchanged.
  package static func render(
    _ before: [UInt8], _ after: [UInt8], of file: String, style: Style,
    shown: (_ isAfter: Bool, _ line: Int) -> String? = { _, _ in nil }
  ) -> String {
    let (old, new) = (TextLines.split(before), TextLines.split(after))
    let hunks = LineDiff(old, new).hunks()
    guard !hunks.isEmpty else { return "" }
    var page = Page(style: style)
    func put(_ text: String, _ tint: Tint?) {
      page.put(text.replacing("\t", with: "    "), tint)
      page.end()
    }
    func line(_ mark: String, _ index: Int, isAfter: Bool, _ tint: Tint?) {
      let line = (isAfter ? new : old)[index]
      let content = line.prefix { $0 != 0x0A && $0 != 0x0D }
      let text = shown(isAfter, index) ?? String(decoding: content, as: UTF8.self)
      put(text.isEmpty && tint == nil ? "" : mark + text, tint)
      if !TextLines.isWhole(line) { put("\\ No newline at end of file", .faint) }
    }
    put("--- \(file)", .strong)
    put("+++ \(file)", .strong)
    for hunk in hunks {
      put("@@ -\(span(hunk.before)) +\(span(hunk.after)) @@", .choose)
      for change in hunk.lines {
        switch change {
        case .kept(let before, _): line(" ", before, isAfter: false, nil)
        case .removed(let before): line("-", before, isAfter: false, .remove)
        case .added(let after): line("+", after, isAfter: true, .add)
        }
      }
    }
    return page.text
  }

  private static func span(_ lines: (start: Int, count: Int)) -> String {
    lines.count == 1 ? "\(lines.start)" : "\(lines.start),\(lines.count)"
  }
}
