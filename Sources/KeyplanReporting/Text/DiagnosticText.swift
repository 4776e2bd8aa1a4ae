package import KeyplanCore

/// Diagnostics for people: what is wrong, where, why, the line itself, and what to do.
package enum DiagnosticText {
  /// All diagnostics, a blank line between them, their count at the end where there are several.
  /// - Parameter source: the line of the manifest that a place is on, with anything secret masked; nil shows none.
  package static func render(
    _ diagnostics: [Diagnostic], style: Style, source: @escaping (FileLocation) -> String? = { _ in nil }
  )
    -> String
  {
    var page = Page(style: style)
    put(diagnostics, source: source, on: &page)
    if diagnostics.count > 1 {
      page.end()
      page.put(counts(diagnostics).joined(separator: ", "))
      page.end()
    }
    return page.text
  }

  package static func put(_ diagnostics: [Diagnostic], source: @escaping (FileLocation) -> String?, on page: inout Page)
  {
    var lines = SourceLines(source: source)
    let (groups, left) = DiagnosticGroup.grouped(diagnostics, showsAll: page.style.showsAll)
    for (index, group) in groups.enumerated() {
      if index > 0 { page.end() }
      put(group, &lines, on: &page)
    }
    guard !left.isEmpty else { return }
    page.end()
    for left in left {
      page.prose("\(left.words). `--all` shows all.", indent: 2)
      page.end()
    }
  }

  /// The line that was asked for last. Diagnostics come in the order of their places, and thousands can be on one line.
  private struct SourceLines {
    let source: (FileLocation) -> String?
    private var last: (file: String, number: Int, line: SourceLine?)?

    init(source: @escaping (FileLocation) -> String?) { self.source = source }

    mutating func line(of place: FileLocation) -> SourceLine? {
      if let last, last.number == place.line, last.file == place.file { return last.line }
      let line = source(place).map(SourceLine.init)
      last = (place.file, place.line, line)
      return line
    }
  }

  /// `2 errors`, `1 warning`; zeros are left out.
  package static func counts(_ diagnostics: [Diagnostic]) -> [String] {
    let errors = diagnostics.count { $0.code.severity == .error }
    let warnings = diagnostics.count - errors
    return [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { Spans.count($0.0, $0.1) }
  }

  private static func put(_ group: DiagnosticGroup, _ lines: inout SourceLines, on page: inout Page) {
    let diagnostic = group.first
    switch diagnostic.code.severity {
    case .error: page.put("error:", .error)
    case .warning: page.put("warning:", .warning)
    }
    page.flow([Run(diagnostic.summary, .strong)], indent: 2)
    page.end()
    page.move(to: 2)
    if let place = diagnostic.place {
      page.flow([Run("\(place):", gap: 0)], indent: 2)
      page.move(to: 0, gap: 1)
    }
    page.prose(group.detail, indent: 2)
    page.end()
    if let place = diagnostic.place, let line = lines.line(of: place) { SourceExcerpt(line, at: place).put(on: &page) }
    if let also = group.also {
      page.move(to: 2)
      page.put("also:", .faint)
      page.move(to: 0, gap: 1)
      page.prose(also, indent: 8)
      page.end()
    }
    if let hint = group.hint {
      page.move(to: 2)
      page.put("hint:", .choose)
      page.move(to: 0, gap: 1)
      page.prose(hint, indent: 8)
      page.end()
    }
  }
}
