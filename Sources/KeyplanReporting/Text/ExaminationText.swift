/// The text of `doctor`: a sign, a word, the subject, the state, and below it the fix.
package enum ExaminationText {
  package static func render(_ checks: [Check], style: Style) -> String {
    var page = Page(style: style)
    for check in checks {
      page.put("  ")
      page.put(sign(check.level, style), tint(check.level))
      page.put(" ")
      page.put(check.level.rawValue, tint(check.level))
      page.move(to: 13)
      page.put(check.subject.rawValue)
      page.move(to: 26)
      page.prose(check.detail, indent: 26)
      page.end()
      guard let hint = check.hint else { continue }
      page.move(to: 26)
      page.hint(hint, indent: 26, .faint)
      page.end()
    }
    guard !checks.isEmpty else { return "" }
    page.end()
    let counts = [(Check.Level.error, "error"), (.warning, "warning")].compactMap { level, word in
      let count = checks.count { $0.level == level }
      return count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
    }
    page.put(counts.isEmpty ? "No problems found." : counts.joined(separator: ", ") + ".")
    page.end()
    return page.text
  }

  private static func sign(_ level: Check.Level, _ style: Style) -> String {
    switch level {
    case .ok: style.usesUnicode ? "✓" : "+"
    case .warning: "!"
    case .error: style.usesUnicode ? "✗" : "x"
    }
  }

  private static func tint(_ level: Check.Level) -> Tint {
    switch level {
    case .ok: .add
    case .warning: .warning
    case .error: .error
    }
  }
}
