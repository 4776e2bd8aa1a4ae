/// How long programs may keep a key's value, as `cache: { fresh: 60m, stale: 7d }` says. Nil for the reader's own choice.
public struct KeptFor: Hashable, Sendable {
  /// The soft age: a younger value is served without asking for it.
  public let fresh: Interval?
  /// The hard age: an older one is not served.
  public let stale: Interval?

  /// Trusts that `stale` is not shorter than `fresh`.
  public init(fresh: Interval? = nil, stale: Interval? = nil) {
    self.fresh = fresh
    self.stale = stale
  }
}
