package import KeyplanModel
internal import KeyplanPlanning

/// A plan for people.
package enum PlanText {
  /// The whole plan: heading, steps, diagnostics, the sum and the id.
  /// - Parameter source: the line of the manifest that a place is on, with anything secret masked; nil shows none.
  package static func render(
    _ report: PlanReport, style: Style, at now: Moment, source: @escaping (FileLocation) -> String? = { _ in nil }
  ) -> String {
    var page = Page(style: style, reserving: 256 + 96 * report.plan.steps.count)
    Heading.put("plan", environment: report.environment, store: report.store, on: &page)
    page.end()
    putSteps(report, on: &page, at: now)
    if !report.diagnostics.isEmpty {
      DiagnosticText.put(report.diagnostics, source: source, on: &page)
      page.end()
    }
    page.flow(sum(report, style), indent: 0)
    page.end()
    if let id = report.id {
      page.put(id, .faint)
      page.end()
    }
    return page.text
  }

  private static func putSteps(_ report: PlanReport, on page: inout Page, at now: Moment) {
    guard !report.plan.isEmpty else { return }
    let facts = report.changedFacts
    let steps = report.reading.map {
      StepMessages($0, recorded: report.recorded, facts: facts[$0.address], style: page.style, at: now)
    }
    let all = (NewVariables(report).row().map { [$0] } ?? []) + steps
    // The text of a row without details may exceed its column.
    let rows = Rows(all.lazy.map { ($0.subject, $0.details.isEmpty ? "" : $0.what) }, width: page.width)
    for words in all { rows.set(words.sign, words.tint, words.subject, words.what, words.reasoned, on: &page) }
    page.end()
  }

  /// `Plan: 1 to store, 1 to forget. 1 error.`, or a statement that there is nothing to do.
  package static func sum(_ report: PlanReport, _ style: Style) -> [Run] {
    var runs: [Run]
    if !report.plan.isEmpty {
      let planned = Tally(report.plan.steps).planned
      runs = planned.isEmpty ? [Run("No changes.")] : Run.list(planned, lead: "Plan: ")
      runs += report.peopleNeeded.sentences.map { Run($0) }
    } else if report.diagnostics.contains(where: { $0.code.severity == .error }) {
      runs = [Run("No changes are planned.")]
    } else {
      runs = [Run("No changes."), Run(closing(report, style))]
    }
    runs += Run.list(DiagnosticText.counts(report.diagnostics))
    if report.isHeldBack { runs.append(Run("Fix the errors before applying.")) }
    return runs
  }

  /// Claims agreement only for compared places.
  private static func closing(_ report: PlanReport, _ style: Style) -> String {
    guard !report.only.isEmpty else {
      return report.left.agreement("The manifest, the store and the targets agree.", style)
    }
    let names = Spans.list(Set(report.only).sorted().map(\.description), showing: 3)
    return "Only \(names) \(report.only.count == 1 ? "was" : "were") looked at."
      + (report.left.isWhole ? "" : " \(report.left.sentences(style))")
  }
}
