/// A recurrence rule (RFC 5545, section 3.3.10). Each number is in the range that the section gives; a part that is not
/// written is empty.
struct RecurrenceRule: Hashable, Sendable {
  enum Frequency: Int, Comparable, Sendable {
    case secondly, minutely, hourly, daily, weekly, monthly, yearly

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// `MO`, or `-1MO`: the last Monday of the month or year.
  struct Weekday: Hashable, Sendable {
    /// From 0 for Monday.
    let day: Int
    var ordinal: Int?
  }

  let frequency: Frequency
  /// At least 1.
  var interval = 1
  /// At least 1. With `until`, whichever ends the recurrence first.
  var count: Int?
  /// The last time that may be an occurrence; a date includes that whole day.
  var until: ICalTime?
  /// The parts `BYSECOND` to `BYSETPOS`, in ascending order and without repetitions.
  var seconds: [Int] = []
  var minutes: [Int] = []
  var hours: [Int] = []
  var weekdays: [Weekday] = []
  var monthDays: [Int] = []
  var yearDays: [Int] = []
  var weeks: [Int] = []
  var months: [Int] = []
  var positions: [Int] = []
  /// From 0 for Monday.
  var weekStart = 0

  /// Whether nothing is written that selects days.
  var selectsNoDays: Bool { weekdays.isEmpty && monthDays.isEmpty && yearDays.isEmpty && weeks.isEmpty }

  /// Whether each period has exactly one occurrence, so that periods can be counted instead of visited.
  var isPlain: Bool {
    frequency <= .weekly && selectsNoDays && months.isEmpty && hours.isEmpty && minutes.isEmpty && seconds.isEmpty
      && positions.isEmpty
  }
}
