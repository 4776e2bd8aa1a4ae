/// The certainty that a value is still the current one.
public enum Freshness: Hashable, Sendable {
  /// Read or confirmed at its source within the soft age.
  case fresh
  /// The source cannot be reached, and was last read this long ago: more than the soft age, at most the hard age.
  case stale(age: Duration)

  /// Whether the source could not be reached.
  public var isStale: Bool { self != .fresh }
}
