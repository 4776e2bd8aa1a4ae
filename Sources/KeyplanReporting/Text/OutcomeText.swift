package import KeyplanApply
internal import KeyplanModel
internal import KeyplanPlanning

/// The progress and the result of an apply.
package enum OutcomeText {
  /// The end of an apply: every step that is not done with its reason, the sum, and the next command.
  /// - Parameter isRecorded: whether the store has recorded everything that was done.
  package static func render(_ reports: [StepReport], isRecorded: Bool = true, style: Style) -> String {
    var page = Page(style: style)
    let open = style.showsAll ? Self.open(reports) : Self.grouped(Self.open(reports))
    if !open.isEmpty {
      let rows = Rows(open.lazy.map { ($0.subject, $0.word) }, width: style.width)
      for row in open {
        let command = row.command.map { [Run(style.commands(in: $0), .choose)] } ?? []
        rows.set(row.sign, row.tint, row.subject, row.word, [.apart(row.reason)] + command, on: &page)
      }
      page.end()
    }
    page.flow(sum(reports), indent: 0)
    page.end()
    if let next = next(reports, isRecorded) {
      page.prose(style.commands(in: next), indent: 0)
      page.end()
    }
    return page.text
  }

  /// One line for one step that is done, for pipes and logs: `stored key.a`. Ends with a line feed. Nil for a step that is not done: it is
  /// reported once, at the end, with its reason.
  package static func progress(_ report: StepReport) -> String? {
    guard report.result == .done else { return nil }
    return Glyphs.visible("\(report.step.effect.participle) \(report.step.address)") + "\n"
  }

  private struct Row {
    let sign: String
    let tint: Tint
    let subject: String
    let word: String
    var reason: String
    /// The command for the person, in one piece.
    var command: String?
  }

  /// One row for each reason, which names the other steps.
  private static func grouped(_ rows: [Row]) -> [Row] {
    rows.groupedInOrder { [$0.sign, $0.word, $0.reason, $0.command ?? ""] }.map { group in
      var row = group[0]
      let others = group.dropFirst().map(\.subject)
      if !others.isEmpty { row.reason += " Also: \(Spans.list(others, showing: DiagnosticGroup.shown))." }
      return row
    }
  }

  /// Failures, then stale steps, then those not tried, each by address.
  private static func open(_ reports: [StepReport]) -> [Row] {
    var groups: [[Row]] = [[], [], [], []]
    for report in reports {
      func row(_ sign: String, _ tint: Tint, _ word: String, _ reason: String, _ command: String? = nil) -> Row {
        Row(
          sign: sign, tint: tint, subject: report.step.address.description, word: word, reason: reason,
          command: command)
      }
      switch report.result {
      case .done: if let note = report.note { groups[3].append(row("!", .warning, "done", note.sentence)) }
      case .needsPerson(let need):
        var command: String?
        if case .calendar(let id) = report.step.address { command = "keyplan calendar sign-in \(id)" }
        let reason = AccountMessages.need(need).capitalizedFirst + ":"
        groups[1].append(row("!", .look, "sign-in required", reason, command))
      case .needsKey(let manual, let id):
        groups[1].append(
          row(
            "!", .look, "new key required", "\(manual.steps) The page is \(manual.page). Then:",
            manual.command(id)))
      case .failed(let failure):
        let reason = [report.note?.sentence, failure.sentence].compactMap(\.self).joined(separator: " ")
        groups[0].append(row("x", .error, "failed", reason))
      case .stale(let reason): groups[1].append(row("~", .warning, "stale", reason.sentence))
      case .notTried(let obstacle): groups[2].append(row(".", .faint, "not tried", obstacle.sentence))
      }
    }
    return groups.flatMap { $0.sorted { ($0.subject, $0.reason) < ($1.subject, $1.reason) } }
  }

  private static func sum(_ reports: [StepReport]) -> [Run] {
    let counts = Counts(reports)
    let isPartly = reports.contains(where: \.result.isPartlyDone)
    var runs =
      counts.done.isEmpty
      ? [Run(isPartly ? "Applied in part." : "Nothing was applied.")] : Run.list(counts.done, lead: "Applied: ")
    let left = [(counts.failed, "failed"), (counts.stale, "stale"), (counts.notTried, "not tried")]
    runs += Run.list(left.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" })
    runs += counts.peopleNeeded.sentences.map { Run($0) }
    return runs
  }

  private static func next(_ reports: [StepReport], _ isRecorded: Bool) -> String? {
    let counts = Counts(reports)
    if counts.failed > 0, !isRecorded {
      return
        "The store could not record all completed steps. Fix that and run keyplan apply again to continue."
    }
    if counts.failed > 0 {
      let done = reports.contains(where: \.result.isPartlyDone) ? "Completed steps and names" : "Completed steps"
      return "\(done) are recorded. Fix the failures and run "
        + (reports.contains(where: isForgotten) ? "the same command again." : "keyplan apply again to continue.")
    }
    if counts.stale > 0 {
      return "Something changed after the plan was made. Run keyplan plan to see what is left to do."
    }
    return counts.notTried > 0 ? "Run keyplan apply again to continue." : nil
  }

  /// A rotation by hand that has made no key is not recorded, and the manifest does not show it: an apply cannot finish it.
  private static func isForgotten(_ report: StepReport) -> Bool {
    guard case .failed = report.result, case .outside(.mint) = report.step.effect else { return false }
    return report.step.cause == .byHand
  }

  private struct Counts {
    var failed = 0
    var stale = 0
    let peopleNeeded: PeopleNeeded
    var notTried = 0
    let done: [String]

    init(_ reports: [StepReport]) {
      var tally = Tally()
      var waiting: [Step] = []
      for report in reports {
        switch report.result {
        case .done: tally.count(report.step.effect)
        case .failed: failed += 1
        case .needsPerson, .needsKey: waiting.append(report.step)
        case .stale: stale += 1
        case .notTried: notTried += 1
        }
      }
      done = tally.done
      peopleNeeded = PeopleNeeded(waiting)
    }
  }
}
