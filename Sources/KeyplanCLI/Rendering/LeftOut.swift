import KeyplanCore

/// A finding that a person does not want counted now, and why.
struct LeftOut: Hashable, Sendable {
  let finding: Finding
  let reason: Reason

  enum Reason: Hashable, Sendable {
    /// Its address was named with `--ignore`.
    case ignored
    /// It is known to have begun before `--since`.
    case earlier
    /// The baseline knows it until this moment.
    case baseline(until: Moment)

    /// The option that it comes from.
    var word: String {
      switch self {
      case .ignored: "ignore"
      case .earlier: "since"
      case .baseline: "baseline"
      }
    }
  }
}
