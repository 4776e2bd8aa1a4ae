/// The limit on computation for an event that anyone can send: a rule can be written that never ends, or that has no
/// occurrence in ten thousand years.
///
/// Steps are counted, not seconds, so that an answer does not depend on the speed of the machine. A step takes less than
/// a microsecond.
struct WorkBudget: Sendable {
  /// For one event: less than a second.
  static let eventSteps = 1_000_000
  /// For all events of an answer.
  static let totalSteps = 10_000_000
  /// For one event in the requested period.
  static let eventOccurrences = 10_000
  /// For all events of an answer.
  static let totalOccurrences = 50_000

  private(set) var steps: Int

  init(steps: Int) { self.steps = steps }

  mutating func spend(_ count: Int = 1) throws(SeriesFault) {
    guard count <= steps else {
      steps = 0
      throw .exhausted
    }
    steps -= count
  }
}
