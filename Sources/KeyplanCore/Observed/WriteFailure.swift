/// The last write to a target, which failed. Ends with the next one that succeeds.
public struct WriteFailure: Hashable, Sendable {
  /// Since when every write has failed.
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
