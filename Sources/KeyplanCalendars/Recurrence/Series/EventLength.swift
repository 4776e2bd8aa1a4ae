import KeyplanModel

/// The duration of an event and its recurrences (RFC 5545, section 3.8.5.3).
enum EventLength: Hashable, Sendable {
  /// Between a start and an end: the same number of seconds for each occurrence, also across a change of the clocks.
  case exact(Int)
  /// A duration: days of the calendar, which may have 23 or 25 hours, then seconds.
  case nominal(days: Int, seconds: Int)

  /// The longest that it can be, in seconds.
  var longest: Int {
    switch self {
    case .exact(let seconds): seconds
    case .nominal(let days, let seconds): (days + 1) * 86_400 + seconds
    }
  }

  /// The period of an occurrence.
  func period(from start: Moment, on clock: EventClock) -> EventPeriod {
    let end: Moment
    switch self {
    case .exact(let seconds): end = start + Interval(seconds: Int64(seconds))
    case .nominal(0, let seconds): end = start + Interval(seconds: Int64(seconds))
    case .nominal(let days, let seconds):
      end = clock.moment(of: clock.local(at: start) + days * 86_400) + Interval(seconds: Int64(seconds))
    }
    // Some durations are longer than any calendar.
    return EventPeriod(start: start, end: min(end, max(start, Moment(seconds: Int64(LocalTime.last.seconds)))))
  }
}

extension ZoneBook {
  /// The length of an event. It is never negative, and that of whole days is at least one.
  /// - Throws: `ICalFault` if its start and its end cannot be compared.
  mutating func length(
    from start: ICalTime, to end: ICalEvent.End, _ budget: inout WorkBudget
  ) throws(SeriesFault) -> EventLength {
    switch (start, end) {
    case (.date, .none): return .nominal(days: 1, seconds: 0)
    case (_, .none): return .exact(0)
    case (.date, .after(let duration)):
      return .nominal(days: max(1, duration.days + (duration.seconds + 86_399) / 86_400), seconds: 0)
    case (_, .after(let duration)): return .nominal(days: duration.days, seconds: duration.seconds)
    case (.date, .at(let end)):
      // An end with a time, which is not allowed here, includes its day.
      let last = end.written + (end.isDate ? 0 : 86_399)
      return .nominal(days: max(1, last.day.number - start.written.day.number), seconds: 0)
    case (_, .at(let end)):
      let clock = try clock(of: start, &budget)
      let last = try moment(of: end, for: clock, &budget)
      return .exact(max(0, Int((last - clock.moment(of: start.written)).seconds)))
    }
  }

  /// The end of an event whose start is on another clock.
  private mutating func moment(
    of end: ICalTime, for clock: EventClock, _ budget: inout WorkBudget
  ) throws(SeriesFault) -> Moment {
    switch (end, clock) {
    // An end without a zone has that of the start.
    case (.date, _), (.floating, _): return clock.moment(of: end.written)
    case (.zoned(_, let name), .wall(let zone?)) where zone == name: return clock.moment(of: end.written)
    case (_, .wall): throw .event(ICalFault(reason: .zone, line: nil))
    case (.utc, _), (.zoned, _):
      let own = try self.clock(of: end, &budget)
      if case .wall = own { throw .event(ICalFault(reason: .zone, line: nil)) }
      return own.moment(of: end.written)
    }
  }
}

extension ICalTime {
  var isDate: Bool { if case .date = self { true } else { false } }
}
