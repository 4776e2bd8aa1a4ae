internal import KeyplanApply
internal import KeyplanFiles
internal import KeyplanReporting

/// A file that a command writes its result to.
package enum ResultKind: CaseIterable {
  case plan, baseline, events

  package var words: (option: String, thing: String, unwritten: String) {
    switch self {
    case .plan: ("--out", "a plan", "Plan not saved")
    case .baseline: ("--write-baseline", "a baseline", "Baseline not written")
    case .events: ("--events", "an event log", "Events not written")
    }
  }

  /// What a file is that holds a result, such as "a baseline"; nil for any other file.
  package static func words(forFileAt path: String) -> String? {
    // Results are JSON: all other files are passed over by their first byte.
    guard SafeFile.prefix(of: path, count: 1) == [UInt8(ascii: "{")],
      let bytes = try? SafeFile.read(path, limit: Self.limit)
    else {
      return nil
    }
    return allCases.first { $0.isHeld(by: bytes) }?.words.thing
  }

  /// Whether a file holds an earlier result of the same kind, which the next one replaces. An empty file holds nothing.
  package func isHeld(by bytes: [UInt8]) -> Bool {
    switch self {
    case _ where bytes.isEmpty: true
    case .plan: SavedPlan.isPlan(bytes)
    case .baseline: Baseline.isBaseline(bytes)
    case .events: Event.isLog(bytes)
    }
  }

  private static let limit = 256 << 20
}
