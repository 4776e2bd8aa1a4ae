package import KeyplanModel
package import KeyplanPlanning

/// A plan as one comment on a pull request: short if possible, with long lists folded and omissions named.
package enum PlanMarkdown {
  /// The length limit of a GitHub comment, in characters; bytes are counted, which are never fewer.
  package static let limit = 65_536

  /// The comment.
  package static func render(_ report: PlanReport, at now: Moment) -> String {
    let style = Style(width: .max)
    let steps = report.reading
    let facts = report.changedFacts
    let words = steps.map {
      StepMessages($0, recorded: report.recorded, facts: facts[$0.address], style: style, at: now)
    }
    let new = NewVariables(report).row(showing: variablesShown).map { [$0] } ?? []
    let head = heading(report) + looks(new + words)
    let errors = list(report.diagnostics.filter { $0.code.severity == .error }, "error")
    let warnings = list(report.diagnostics.filter { $0.code.severity == .warning }, "warning")
    let foot = report.id.map { "\n\(MarkdownText.code($0))\n" } ?? ""
    let around = [head, errors, warnings, foot].reduce(0) { $0 + $1.utf8.count }
    let table = table(steps, words, room: limit - around)
    return head + errors + table + warnings + foot
  }

  private static let stepsShown = 20
  private static let diagnosticsShown = 10
  private static let looksShown = 10
  private static let variablesShown = 100
  /// The maximum length of one list of diagnostics, and of the reviews, so that steps have the rest.
  private static let share = 12_000
  /// The length reserved for the text about omitted lines.
  private static let reserve = 600

  private static func heading(_ report: PlanReport) -> String {
    var text = "### keyplan plan"
    if let environment = report.environment { text += " · \(MarkdownText.plain(environment))" }
    text += "\n\n" + "**\(PlanText.sum(report, Style()).map(\.text).joined(separator: " "))**\n"
    guard let store = report.store else { return text + "No store yet.\n" }
    return text + "Store \(MarkdownText.code("\(Heading.short(store.id))…")), serial \(store.serial).\n"
  }

  /// Changes that widen the manifest's access come first and are never folded.
  private static func looks(_ words: [StepMessages]) -> String {
    let lines = words.filter(\.needsLook).map { "- \(MarkdownText.code($0.subject)) \(particulars($0))\n" }
    return lines.isEmpty ? "" : "\n**Review required**\n\n" + bounded(lines, looksShown, "more to review", "plan")
  }

  /// Errors, then warnings, each list folded if it is long.
  package static func lists(_ diagnostics: [Diagnostic], _ command: String) -> String {
    list(diagnostics.filter { $0.code.severity == .error }, "error", command)
      + list(diagnostics.filter { $0.code.severity == .warning }, "warning", command)
  }

  private static func list(_ diagnostics: [Diagnostic], _ noun: String, _ command: String = "plan") -> String {
    guard !diagnostics.isEmpty else { return "" }
    let (groups, left) = DiagnosticGroup.grouped(diagnostics, showsAll: false)
    return "\n**\(Spans.count(diagnostics.count, noun))**\n\n"
      + bounded(
        groups.map(item)
          + left.map { "- \(MarkdownText.prose("\($0.words). `keyplan \(command) --all` shows all."))\n" },
        diagnosticsShown, "more \(noun)s",
        command)
  }

  private static func item(_ group: DiagnosticGroup) -> String {
    let diagnostic = group.first
    var text = "- **\(diagnostic.summary)**"
    if let place = diagnostic.place { text += " \(MarkdownText.code(place.description))" }
    text += " \(MarkdownText.prose(group.detail))"
    if let also = group.also { text += " Also: \(MarkdownText.prose(also))." }
    if let hint = group.hint { text += " *Hint:* \(MarkdownText.prose(hint))" }
    return text + "\n"
  }

  /// The first lines open, the others folded, and the number of those that did not fit.
  package static func bounded(_ lines: [String], _ shown: Int, _ noun: String, _ command: String) -> String {
    var open = ""
    var folded = ""
    var taken = 0
    for line in lines {
      guard open.utf8.count + folded.utf8.count + line.utf8.count <= share else { break }
      if taken < shown { open += line } else { folded += line }
      taken += 1
    }
    if !folded.isEmpty { open += fold("\(taken - shown) \(noun)", folded) }
    return taken < lines.count
      ? open + "\n\(lines.count - taken) \(noun) left out here; `keyplan \(command)` shows them.\n" : open
  }

  private static func table(_ steps: [Step], _ words: [StepMessages], room: Int) -> String {
    guard !words.isEmpty else { return "" }
    let head = "| | address | what | particulars | cause |\n|---|---|---|---|---|\n"
    var open = "\n" + head
    var folded = ""
    var taken = 0
    for words in words {
      let row = row(words)
      guard open.utf8.count + folded.utf8.count + row.utf8.count + reserve <= room else { break }
      if taken < stepsShown { open += row } else { folded += row }
      taken += 1
    }
    if !folded.isEmpty { open += fold("\(Spans.count(taken - stepsShown, "more step"))", head + folded) }
    guard taken < words.count else { return open }
    let left = Tally(steps[taken...]).planned.joined(separator: ", ")
    return open + "\nLeft out here for its length: \(left). `keyplan plan` shows all.\n"
  }

  private static func row(_ words: StepMessages) -> String {
    "| \(MarkdownText.code(words.sign)) | \(MarkdownText.code(words.subject)) | \(MarkdownText.plain(words.what)) "
      + "| \(details(words.details)) | \(words.cause ?? "manifest") |\n"
  }

  private static func particulars(_ words: StepMessages) -> String {
    "\(MarkdownText.plain(words.what)): \(details(words.details.filter { $0.text != StepMessages.look.text }))"
  }

  private static func details(_ runs: [Run]) -> String {
    var text = ""
    for run in runs {
      if !text.isEmpty { text += run.gap > 1 ? "; " : " " }
      text += run.tint == .look && run != StepMessages.look ? MarkdownText.code(run.text) : words(run.text)
    }
    return text
  }

  /// References are easier to read as code.
  private static func words(_ text: String) -> String {
    text.split(separator: " ").map { $0.contains("://") ? MarkdownText.code($0) : MarkdownText.plain($0) }
      .joined(separator: " ")
  }

  private static func fold(_ summary: String, _ body: String) -> String {
    "\n<details><summary>\(summary)</summary>\n\n\(body)\n</details>\n"
  }
}
