internal import KeyplanApply
internal import KeyplanCore
internal import Synchronization

/// Progress of an apply: on a terminal one live line, elsewhere one line a step. Talk, so it goes to standard error.
final class Progress: Sendable {
  private let total: Int
  private let isSilent: Bool
  private let isLive: Bool
  private let style: Style
  private let output: Output
  private let ended = Mutex(0)

  /// Short plans on the store alone need no progress; the outcome tells it all.
  init(_ plan: Plan, _ options: GlobalOptions, in world: World) {
    total = plan.steps.count
    output = world.err
    isSilent = options.isQuiet(in: world) || options.isJSON(in: world)
    isLive = world.err.isTerminal && world.variable("TERM") != "dumb"
    style = options.style(for: world.err, in: world)
  }

  /// Hears of a step that ended.
  @Sendable func tell(_ report: StepReport) {
    guard !isSilent else { return }
    let number = ended.withLock { count in
      count += 1
      return count
    }
    if isLive {
      output.write("\r" + OutcomeText.live(report.step, number: number, of: total, style: style) + "\u{1B}[K")
    } else {
      output.write(OutcomeText.progress(report))
    }
  }

  /// Takes the live line away.
  func end() {
    if isLive, !isSilent { output.write("\r\u{1B}[K") }
  }
}
