/// An early end: the error, its reason, the fix.
package enum FailureText {
  package static func render(_ failure: Failure, style: Style) -> String {
    var page = Page(style: style)
    page.failure(failure)
    return page.text
  }

  /// A warning about something that does not end the command.
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
  /// The failure, its reason, and the fix.
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

  /// The hint. A command begins with a lower-case letter and has no full stop; it is not wrapped: a line break would be pasted with it.
  package mutating func hint(_ text: String, indent: Int, _ tint: Tint? = nil) {
    let text = style.commands(in: text)
    if text.first?.isLowercase == true, text.last != "." { put(text, tint) } else { prose(text, indent: indent, tint) }
  }
}
