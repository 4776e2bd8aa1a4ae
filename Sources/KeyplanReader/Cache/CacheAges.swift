internal import KeyplanClocks

/// The maximum ages at which a value may be served.
public struct CacheAges: Hashable, Sendable {
  /// The soft age: a younger value is served without a request.
  public let fresh: Duration
  /// The hard age: an older value is not served at all. Between the two it is served only while its source cannot be reached.
  public let stale: Duration
  /// `fresh` in nanoseconds, so that a read from memory computes nothing with `Duration`.
  let freshNanoseconds: Int64

  /// Five minutes, and a day.
  public static let standard = CacheAges(fresh: .seconds(300), stale: .seconds(86_400))

  /// - Parameter stale: if it is shorter than `fresh`, that is used.
  public init(fresh: Duration, stale: Duration) {
    self.fresh = max(.zero, fresh)
    self.stale = max(self.fresh, stale)
    freshNanoseconds = self.fresh.inNanoseconds
  }

  /// As `cache: { fresh: 5m, stale: 1d }` of a key in the manifest, in seconds.
  public init(fresh seconds: Int64, stale staleSeconds: Int64) {
    self.init(fresh: .seconds(seconds), stale: .seconds(staleSeconds))
  }
}
