internal import KeyplanModel
package import KeyplanPlanning

/// Drift, and diagnostics alone, as Markdown: for job summaries and comments.
package enum DriftMarkdown {
  /// The findings of drift, the most urgent first, within the length of a comment.
  package static func render(_ report: DriftReport) -> String {
    var text = heading("drift", report.environment)
    if report.findings.isEmpty, report.diagnostics.isEmpty {
      return text + "**\(report.nothing(Style()))**\n" + leftOut(report) + lastApply(report)
    }
    // Each list of diagnostics begins with its count.
    let found = DriftReport(report.findings).counts.joined(separator: ", ")
    if let lead = found.isEmpty ? report.nothingElse(Style()) : found { text += "**\(lead)**\n" }
    if !found.isEmpty, case let unchecked = report.unchecked, !unchecked.isEmpty { text += "\n\(unchecked)\n" }
    if !report.findings.isEmpty {
      text +=
        "\n"
        + PlanMarkdown.bounded(
          FindingGroup.grouped(report.findings, showsAll: false).map(item), 20, "more findings", "drift")
    }
    return text + PlanMarkdown.lists(report.diagnostics, "drift") + leftOut(report) + lastApply(report)
  }

  /// The last apply, with the person or job; empty if that is not known.
  private static func lastApply(_ report: DriftReport) -> String {
    guard let store = report.store, store.lastPlan?.invocation != nil, let words = store.lastApply(Style()) else {
      return ""
    }
    return "\nLast apply: \(MarkdownText.plain(words)).\n"
  }

  private static func leftOut(_ report: DriftReport) -> String {
    report.leftOutSum.map { "\n\($0)\n" } ?? ""
  }

  /// The diagnostics from reading a manifest.
  package static func render(_ diagnostics: [Diagnostic], of command: String, environment: String?) -> String {
    guard !diagnostics.isEmpty else { return heading(command, environment) + "**The manifest is valid.**\n" }
    // The lists begin with a blank line of their own.
    return heading(command, environment).dropLast() + PlanMarkdown.lists(diagnostics, command)
  }

  private static func heading(_ command: String, _ environment: String?) -> String {
    "### keyplan \(command)" + (environment.map { " · \(MarkdownText.plain($0))" } ?? "") + "\n\n"
  }

  private static func item(_ group: FindingGroup) -> String {
    let words = FindingMessages(group)
    var text = "- **\(group.first.level.rawValue)** \(MarkdownText.code(group.subject)) "
    text +=
      MarkdownText.plain([words.headline, group.list, words.consequence].compactMap { $0 }.joined(separator: "; "))
      + ". "
    if let command = words.command { text += "\(MarkdownText.code(command)) " }
    text += MarkdownText.plain(words.fix)
    if let other = words.alternative {
      text += "; \(MarkdownText.code(other.command)) " + MarkdownText.plain(other.fix)
    }
    return text + "\n"
  }
}
