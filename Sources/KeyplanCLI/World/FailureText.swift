/// How an early end is told: what, why, what to do.
enum FailureText {
  static func render(_ failure: Failure, style: Style) -> String {
    var page = Page(style: style)
    page.put("error:", .error)
    page.flow(CollectionOfOne(Run(failure.summary, .strong)), indent: 2)
    page.end()
    for line in failure.detail.split(separator: "\n") {
      page.move(to: 2)
      // Process, host and time of a lock's holder are one line, to be searched for and pasted.
      if failure.status == .locked { page.put(line) } else { page.prose(String(line), indent: 2) }
      page.end()
    }
    if let hint = failure.hint {
      page.move(to: 2)
      page.put("hint:", .choose)
      page.move(to: 0, gap: 1)
      page.hint(hint, indent: 8)
      page.end()
    }
    return page.text
  }
}

extension Page {
  /// What to do. A command begins small and has no full stop; it is set whole: a line break would be pasted with it.
  mutating func hint(_ text: String, indent: Int, _ tint: Tint? = nil) {
    if text.first?.isLowercase == true, text.last != "." { put(text, tint) } else { prose(text, indent: indent, tint) }
  }
}
