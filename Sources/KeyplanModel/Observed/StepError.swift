/// The error of a step outside the store: a write to a target, a request for a key, a revocation, a refresh. It is recorded until a step
/// at the same address succeeds.
package struct StepError: Hashable, Sendable {
  /// The time of the first failure since the last success.
  package let since: Moment
  /// The reason that the place gave, as a sentence; nil if it gave none.
  package let reason: String?

  package init(since: Moment, reason: String? = nil) {
    self.since = since
    self.reason = reason
  }

  /// The maximum length of a recorded reason, in bytes.
  package static let reasonLimit = 300
}
