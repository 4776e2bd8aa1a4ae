package import KeyplanCore
package import KeyplanReporting

extension Warning {
  /// A warning if the clock is so far behind the last apply that it was probably set back. The order of versions does not depend on the
  /// clock; expiry and the age of plans do.
  package static func clockBehind(_ recorded: Recorded, at now: Moment, style: Style = Style()) -> Warning? {
    guard let appliedAt = recorded.store?.appliedAt, now + Interval(seconds: 300) < appliedAt else { return nil }
    return Warning(
      "Clock is behind",
      "The clock says \(style.time(now)), but the last apply was at \(style.time(appliedAt)).",
      hint: "Set the clock: key expiry depends on it.")
  }
}
