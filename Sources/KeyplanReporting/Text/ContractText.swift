/// The text of `backend check`: a sign, the rule, and below it the deviation.
package enum ContractText {
  package static func render(_ report: ContractReport, style: Style) -> String {
    var page = Page(style: style)
    page.put(report.target, .strong)
    page.put("   \(report.place)")
    page.end()
    page.end()
    for check in report.checks {
      page.put("  ")
      page.put(sign(check.result, style), tint(check.result))
      page.put(" ")
      page.prose(check.rule, indent: 4)
      page.end()
      guard let detail = check.detail else { continue }
      page.move(to: 4)
      page.prose(detail, indent: 4)
      page.end()
    }
    page.end()
    if !report.leftovers.isEmpty {
      page.prose("These names could not be removed: \(report.leftovers.joined(separator: ", ")).", indent: 0)
      page.end()
    }
    let failed = report.checks.count { $0.result == .failed }
    let skipped = report.checks.count { $0.result == .skipped }
    let rest = skipped == 0 ? "" : " \(skipped) cannot be checked there."
    page.put(
      failed == 0 ? "All checks passed.\(rest)" : "\(failed) of \(report.checks.count) checks failed.\(rest)")
    page.end()
    return page.text
  }

  private static func sign(_ result: ContractCheck.Result, _ style: Style) -> String {
    switch result {
    case .passed: style.usesUnicode ? "✓" : "+"
    case .skipped: "-"
    case .failed: style.usesUnicode ? "✗" : "x"
    }
  }

  private static func tint(_ result: ContractCheck.Result) -> Tint {
    switch result {
    case .passed: .add
    case .skipped: .faint
    case .failed: .error
    }
  }
}
