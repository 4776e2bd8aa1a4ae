/// A source's answer for one item.
public enum KeySourceAnswer: Sendable {
  case value(KeySourceValue)
  /// The known version is still the current one.
  case unchanged
  case refused(KeyError.Reason, String, hint: String?)
  /// The source was not reached, or asks to be left alone for a while.
  case unreachable(String, retryAfter: Duration?)
}
