package import KeyplanModel
package import KeyplanReporting

extension Warning {
  /// A warning if the clock is more than five minutes earlier than the last apply. Expiry dates and plan ages depend on the clock; version
  /// order does not.
  package static func clockBehind(_ recorded: Recorded, at now: Moment, style: Style = Style()) -> Warning? {
    guard let appliedAt = recorded.store?.appliedAt, now + Interval(seconds: 300) < appliedAt else { return nil }
    return Warning(
      "Clock is behind",
      "The clock says \(style.time(now)), but the last apply was at \(style.time(appliedAt)).",
      hint: "Set the clock: key expiry depends on it.")
  }
}
