package import KeyplanModel
package import KeyplanPlanning

/// Diagnostics for people: the error, its place and reason, the line itself, and the fix.
package enum DiagnosticText {
  /// All diagnostics, separated by blank lines, with their count at the end if there are several.
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
    var isFirst = true
    for groups in DiagnosticGroup.byRemedy(groups) {
      // If there are only a few, all are shown completely, each with its line.
      let isListed = !page.style.showsAll && groups.count >= listed && !groups[0].first.code.isAboutLine
      let parts = isListed ? [groups] : groups.map { [$0] }
      for part in parts {
        if !isFirst { page.end() }
        isFirst = false
        if part.count == 1 { put(part[0], &lines, on: &page) } else { put(part, on: &page) }
      }
    }
    guard !left.isEmpty else { return }
    page.end()
    for left in left {
      page.prose("\(left.words). `--all` shows all.", indent: 2)
      page.end()
    }
  }

  /// The last line that was requested. Diagnostics come in the order of their places, and thousands can be on one line.
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

  /// The number of groups with one remedy from which they are shown as a list, without lines of the manifest.
  private static let listed = 3

  /// Groups with one remedy, as a list.
  private static func put(_ groups: [DiagnosticGroup], on page: inout Page) {
    let count = groups.reduce(0) { $0 + 1 + $1.others.count }
    putHead(groups[0].first, " (\(Spans.number(count)))", on: &page)
    for group in groups.prefix(DiagnosticGroup.shown) {
      page.move(to: 2)
      if let subject = group.subject {
        page.flow([Run("\(subject):", gap: 0)], indent: 4)
        page.move(to: 0, gap: 1)
      }
      page.prose(group.detail, indent: 4)
      page.end()
      putAlso(group, at: 4, indent: 10, on: &page)
    }
    if groups.count > DiagnosticGroup.shown {
      let names = groups.dropFirst(DiagnosticGroup.shown).compactMap(\.subject)
      page.move(to: 2)
      page.prose("also \(Spans.list(names, showing: DiagnosticGroup.shown)). `--all` shows all.", indent: 4)
      page.end()
    }
    putHint(groups[0].hint, on: &page)
  }

  private static func putHead(_ diagnostic: Diagnostic, _ count: String, on page: inout Page) {
    switch diagnostic.code.severity {
    case .error: page.put("error:", .error)
    case .warning: page.put("warning:", .warning)
    }
    page.flow([Run(diagnostic.summary + count, .strong)], indent: 2)
    page.end()
  }

  private static func putAlso(_ group: DiagnosticGroup, at column: Int, indent: Int, on page: inout Page) {
    guard let also = group.also else { return }
    page.move(to: column)
    page.put("also:", .faint)
    page.move(to: 0, gap: 1)
    page.prose(also, indent: indent)
    page.end()
  }

  private static func putHint(_ hint: String?, on page: inout Page) {
    guard let hint else { return }
    page.move(to: 2)
    page.put("hint:", .choose)
    page.move(to: 0, gap: 1)
    page.prose(page.style.commands(in: hint), indent: 8)
    page.end()
  }

  private static func put(_ group: DiagnosticGroup, _ lines: inout SourceLines, on page: inout Page) {
    let diagnostic = group.first
    putHead(diagnostic, "", on: &page)
    page.move(to: 2)
    if let place = diagnostic.place {
      page.flow([Run("\(place):", gap: 0)], indent: 2)
      page.move(to: 0, gap: 1)
    }
    page.prose(group.detail, indent: 2)
    page.end()
    if let place = diagnostic.place, let line = lines.line(of: place) { SourceExcerpt(line, at: place).put(on: &page) }
    putAlso(group, at: 2, indent: 8, on: &page)
    putHint(group.hint, on: &page)
  }
}

extension Diagnostic.Code {
  /// Whether it is a line of the manifest that has to be changed.
  fileprivate var isAboutLine: Bool { reach == .everything && !isGuard || self == .questionable }
}
