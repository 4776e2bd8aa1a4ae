/// An early end: what, why, what to do.
package enum FailureText {
  package static func render(_ failure: Failure, style: Style) -> String {
    var page = Page(style: style)
    page.failure(failure)
    return page.text
  }

  /// What is worth a word, and ends nothing.
  package static func warning(_ summary: String, _ detail: String, hint: String?, style: Style) -> String {
    var page = Page(style: style)
    page.put("warning:", .warning)
    page.flow(CollectionOfOne(Run(summary, .strong)), indent: 2)
    page.end()
    page.explanation(detail, hint: hint)
    return page.text
  }
}

extension Page {
  /// What failed, why, and what to do.
  package mutating func failure(_ failure: Failure) {
    put("error:", .error)
    flow(CollectionOfOne(Run(failure.summary, .strong)), indent: 2)
    end()
    // Process, host and time of a lock's holder are one line, to be searched for and pasted.
    explanation(failure.detail, isWrapped: failure.status != .locked, hint: failure.hint)
  }

  fileprivate mutating func explanation(_ detail: String, isWrapped: Bool = true, hint next: String?) {
    for line in detail.split(separator: "\n") {
      move(to: 2)
      if isWrapped { prose(String(line), indent: 2) } else { put(line) }
      end()
    }
    if let next {
      move(to: 2)
      put("hint:", .choose)
      move(to: 0, gap: 1)
      hint(next, indent: 8)
      end()
    }
  }

  /// What to do. A command begins small and has no full stop; it is set whole: a line break would be pasted with it.
  package mutating func hint(_ text: String, indent: Int, _ tint: Tint? = nil) {
    if text.first?.isLowercase == true, text.last != "." { put(text, tint) } else { prose(text, indent: indent, tint) }
  }
}
