/// Why a place that can be read could not be written.
public struct Obstacle: Hashable, Sendable {
  /// A sentence without a value.
  public let reason: String
  /// What to do, where there is something that helps.
  public let hint: String?
  /// Whether it is in the way of whoever asks here alone: others may write there, and a plan is for them too.
  public let isOnlyHere: Bool

  /// Nothing is checked.
  public init(reason: String, hint: String? = nil, isOnlyHere: Bool = false) {
    self.reason = reason
    self.hint = hint
    self.isOnlyHere = isOnlyHere
  }
}
