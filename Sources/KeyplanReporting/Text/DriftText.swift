package import KeyplanModel
internal import KeyplanPlanning

/// Drift for people: the differences from the records, their consequences, and the command that fixes them.
package enum DriftText {
  /// The whole report, or one line if there is nothing to report.
  package static func render(
    _ report: DriftReport, style: Style, source: @escaping (FileLocation) -> String? = { _ in nil }
  ) -> String {
    var page = Page(style: style, reserving: 256 + 256 * report.findings.count)
    if report.findings.isEmpty, report.diagnostics.isEmpty {
      page.prose(report.nothing(style), indent: 0)
      page.end()
      putLeftOut(report, on: &page)
      return page.text
    }
    Heading.put("drift", environment: report.environment, store: report.store, showsApplied: true, on: &page)
    page.end()
    putFindings(report.findings, on: &page)
    if !report.diagnostics.isEmpty {
      DiagnosticText.put(report.diagnostics, source: source, on: &page)
      page.end()
    }
    if report.findings.isEmpty, let nothing = report.nothingElse(style) { page.flow([Run(nothing)], indent: 0) }
    page.flow(Run.list(report.counts), indent: 0)
    if !report.findings.isEmpty, case let unchecked = report.unchecked, !unchecked.isEmpty {
      page.flow([Run(unchecked)], indent: 0)
    }
    page.end()
    putLeftOut(report, on: &page)
    return page.text
  }

  private static func putLeftOut(_ report: DriftReport, on page: inout Page) {
    guard let sum = report.leftOutSum else { return }
    page.prose(sum, indent: 0)
    page.end()
  }

  private static let subjectColumn = 11
  private static let stackedIndent = 6

  private static func putFindings(_ findings: [Finding], on page: inout Page) {
    guard !findings.isEmpty else { return }
    let limit = page.width * 2 / 5
    let groups = FindingGroup.grouped(findings, showsAll: page.style.showsAll)
    let subjects = groups.lazy.map { Glyphs.columns(of: $0.subject) }
    let headColumn = subjectColumn + (subjects.filter { $0 <= limit }.max() ?? 0) + 3
    let isStacked = page.width < 60
    let messages = groups.map { FindingMessages($0, style: page.style) }
    for (index, group) in groups.enumerated() {
      let (finding, words) = (group.first, messages[index])
      let subject = group.subject
      page.move(to: 2)
      page.put(finding.level.rawValue, finding.level.tint)
      page.move(to: subjectColumn)
      page.flow([Run(subject, .strong)], indent: subjectColumn)
      let indent = isStacked ? stackedIndent : subjectColumn
      let isBeside = subjectColumn + Glyphs.columns(of: subject) + 3 <= headColumn
      if isStacked || !isBeside || !page.hasRoom(for: words.headline, at: headColumn) {
        page.end()
        page.move(to: indent)
        page.prose(words.headline, indent: indent)
      } else {
        page.move(to: headColumn)
        page.prose(words.headline, indent: headColumn)
      }
      page.end()
      if let names = group.list {
        page.move(to: indent)
        page.prose(names, indent: indent)
        page.end()
      }
      // The consequence and the fix that consecutive findings share are shown after the last one.
      if !page.style.showsAll, index + 1 < groups.count, groups[index + 1].first.level == finding.level,
        words.hasRemedy(of: messages[index + 1])
      {
        continue
      }
      if let consequence = words.consequence {
        page.move(to: indent)
        page.prose(consequence, indent: indent, .faint)
        page.end()
      }
      page.move(to: indent)
      if let command = words.command { page.put(page.style.commands(in: command), .choose) }
      page.flow([.apart(page.style.commands(in: words.fix))], indent: indent)
      page.end()
      if let other = words.alternative {
        page.move(to: indent)
        page.flow([Run(page.style.commands(in: other.command), .choose), .apart(other.fix)], indent: indent)
        page.end()
      }
    }
    page.end()
  }
}

extension Finding.Level {
  fileprivate var tint: Tint {
    switch self {
    case .broken: .error
    case .pending: .warning
    case .soon: .change
    }
  }
}

extension FindingMessages {
  /// Whether the same follows from another finding, and the same commands fix it.
  fileprivate func hasRemedy(of other: FindingMessages) -> Bool {
    consequence == other.consequence && command == other.command && fix == other.fix
      && alternative?.command == other.alternative?.command && alternative?.fix == other.alternative?.fix
  }
}
