internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanReporting

/// Progress of an apply: on a terminal the live line, elsewhere one line a step. Talk, so it goes to standard error.
struct Progress: Sendable {
  let display: LiveDisplay
  private let tellsLines: Bool
  private let output: Output

  init(_ plan: Plan, _ options: GlobalOptions, in world: World) {
    display = LiveDisplay(LiveLine(total: plan.steps.count), options, in: world)
    output = world.err
    tellsLines = !display.isLive && !options.isQuiet(in: world) && !options.isJSON(in: world)
  }

  /// Hears of a step that begins.
  @Sendable func begin(_ step: Step) {
    display.change { $0.began(Self.name(of: step)) }
  }

  /// Hears of a step that ended.
  @Sendable func tell(_ report: StepReport) {
    if tellsLines, let text = OutcomeText.progress(report) { output.write(text) }
    display.change { line in
      line.ended(Self.name(of: report.step))
      line.done += 1
    }
  }

  private static func name(of step: Step) -> String { "\(Effect.doing(step.effect.action)) \(step.address)" }
}
