package import KeyplanCore
package import KeyplanReporting

extension Warning {
  /// If a clock is so far behind the last apply that it was probably set back; nil otherwise. Nothing is ordered by time, but expiry and
  /// the age of plans depend on it.
  package static func clockBehind(_ recorded: Recorded, at now: Moment, style: Style = Style()) -> Warning? {
    guard let appliedAt = recorded.store?.appliedAt, now + Interval(seconds: 300) < appliedAt else { return nil }
    return Warning(
      "Clock is behind",
      "The clock says \(style.time(now)), but the last apply was at \(style.time(appliedAt)).",
      hint: "Set the clock: key expiry depends on it.")
  }
}
