internal import KeyplanApply
internal import KeyplanFiles
internal import KeyplanReporting

/// A file that a command writes its result to.
package enum ResultKind: CaseIterable {
  case plan, baseline, events, metrics, page

  package var words: (option: String, thing: String, unwritten: String) {
    switch self {
    case .plan: ("--out", "a plan", "Plan not saved")
    case .baseline: ("--write-baseline", "a baseline", "Baseline not written")
    case .events: ("--events", "an event log", "Events not written")
    case .metrics: ("--out", "a metrics file", "Metrics not written")
    case .page: ("--html", "a report", "Report not written")
    }
  }

  /// What a file is that holds a result, such as "a baseline"; nil for any other file.
  package static func words(forFileAt path: String) -> String? {
    guard let start = SafeFile.prefix(of: path, count: 64), !start.isEmpty else { return nil }
    if let kind = [Self.metrics, .page].first(where: { $0.isHeld(by: start) }) { return kind.words.thing }
    // The other results are JSON: nearly all files are passed over by their first byte.
    guard start[0] == UInt8(ascii: "{"), let bytes = try? SafeFile.read(path, limit: Self.limit) else { return nil }
    return allCases.first { $0.isHeld(by: bytes) }?.words.thing
  }

  /// Whether a file holds an earlier result of the same kind, which the next one replaces. An empty file holds nothing.
  package func isHeld(by bytes: [UInt8]) -> Bool {
    switch self {
    case _ where bytes.isEmpty: true
    case .plan: SavedPlan.isPlan(bytes)
    case .baseline: Baseline.isBaseline(bytes)
    case .events: Event.isLog(bytes)
    case .metrics: bytes.starts(with: MetricsText.start.utf8)
    case .page: bytes.starts(with: InventoryPage.start.utf8)
    }
  }

  private static let limit = 256 << 20
}
