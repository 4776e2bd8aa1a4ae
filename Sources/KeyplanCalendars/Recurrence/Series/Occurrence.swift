import KeyplanModel

/// An event that does not recur, or one occurrence of one that does.
struct Occurrence: Hashable, Sendable {
  let event: ICalEvent
  /// The original start, which identifies it in its series; nil for an event that does not recur.
  let original: String?
  let span: EventSpan
}

/// A period, excluding its end.
struct EventPeriod: Hashable, Sendable {
  let start, end: Moment

  /// Whether any part of it is in a range; a period without duration, where it is (RFC 4791, section 9.9).
  func overlaps(_ range: EventPeriod) -> Bool {
    start < range.end && (end > range.start || start == end && start >= range.start)
  }
}
