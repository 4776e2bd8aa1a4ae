package import KeyplanModel
package import KeyplanPlanning

/// A finding that a person excluded from the count, with the reason.
package struct LeftOut: Hashable, Sendable {
  package let finding: Finding
  package let reason: Reason

  package init(_ finding: Finding, _ reason: Reason) {
    self.finding = finding
    self.reason = reason
  }

  package enum Reason: Hashable, Sendable {
    /// Its address was named with `--ignore`.
    case ignored
    /// It is known to have begun before `--since`.
    case earlier
    /// The baseline knows it until this moment.
    case baseline(until: Moment)

    /// The corresponding option.
    package var word: String {
      switch self {
      case .ignored: "ignore"
      case .earlier: "since"
      case .baseline: "baseline"
      }
    }
  }
}
