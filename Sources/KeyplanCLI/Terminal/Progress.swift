internal import KeyplanApply
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Progress of an apply: on a terminal the live line, elsewhere one line a step. Goes to standard error.
struct Progress: Sendable {
  let display: LiveDisplay
  private let writesLines: Bool
  private let output: Output

  init(_ plan: Plan, on terminal: Terminal) {
    display = LiveDisplay(LiveLine(total: plan.steps.count), on: terminal)
    output = terminal.err
    writesLines = !display.isLive && !terminal.isQuiet && !terminal.isJSON
  }

  /// Shows the steps of a run, and logs them.
  func listener(logging events: Events? = nil) -> ApplyRun.Listener {
    var listener = ApplyRun.Listener()
    listener.activity = display
    listener.began = { step in
      began(step)
      events?.log(.applyStart(step))
    }
    listener.ended = { report in
      ended(report)
      events?.log(.applyEnd(report))
    }
    return listener
  }

  private func began(_ step: Step) {
    display.change { $0.began(Self.name(of: step)) }
  }

  private func ended(_ report: StepReport) {
    if writesLines, let text = OutcomeText.progress(report) { output.write(text) }
    if let reason = report.result.reason { display.fails(Self.name(of: report.step), reason) }
    display.change { line in
      line.ended(Self.name(of: report.step))
      line.done += 1
    }
  }

  private static func name(of step: Step) -> String { "\(step.effect.action.gerund) \(step.address)" }
}
