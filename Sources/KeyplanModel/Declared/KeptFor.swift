/// The time for which programs may keep a key's value: `cache: { fresh: 60m, stale: 7d }`. Nil for the reader's own choice.
package struct KeptFor: Hashable, Sendable {
  /// The soft age: a younger value is served without asking for it.
  package let fresh: Interval?
  /// The hard age: an older one is not served.
  package let stale: Interval?

  /// Trusts that `stale` is not shorter than `fresh`.
  package init(fresh: Interval? = nil, stale: Interval? = nil) {
    self.fresh = fresh
    self.stale = stale
  }
}
