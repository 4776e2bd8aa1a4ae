/// The error of a step outside the store: a write to a target, a request for a key, a revocation, a refresh. It is recorded until a step
/// at the same address succeeds.
public struct StepError: Hashable, Sendable {
  /// The time of the first failure since the last success.
  public let since: Moment
  /// The reason that the place gave, as a sentence; nil where it gave none.
  public let reason: String?

  package init(since: Moment, reason: String? = nil) {
    self.since = since
    self.reason = reason
  }

  /// How long a recorded reason can be, in bytes.
  package static let reasonLimit = 300
}

extension Effect {
  /// Whether its failure is recorded. The command after a target's writes has a record of its own.
  package var recordsFailure: Bool {
    switch self {
    case .outside(.run), .store, .person: false
    case .outside: true
    }
  }
}
