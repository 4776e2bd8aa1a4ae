import KeyplanModel

/// The clock on which an event takes place.
enum EventClock: Hashable, Sendable {
  /// None: whole days.
  case days
  /// That of a known zone, or UTC without a name.
  case zone(ClockZone, name: String?)
  /// Any clock (floating), or that of an undefined zone.
  case wall(zone: String?)

  /// For days, and without a known zone, as if in UTC.
  func moment(of local: LocalTime) -> Moment {
    if case .zone(let zone, _) = self { return zone.moment(of: local) }
    return Moment(seconds: Int64(local.seconds))
  }

  func local(at moment: Moment) -> LocalTime {
    if case .zone(let zone, _) = self { return zone.local(at: moment) }
    return LocalTime(seconds: Int(moment.seconds))
  }

  /// The moment of a time of the same series. One without a zone has that of the series.
  func moment(of time: ICalTime, _ zones: inout ZoneBook, _ budget: inout WorkBudget) throws(SeriesFault) -> Moment {
    switch (time, self) {
    case (_, .days): Moment(seconds: Int64(LocalTime(time.written.day).seconds))
    case (.date, _), (.floating, _): moment(of: time.written)
    case (.utc, _), (.zoned, _): try zones.clock(of: time, &budget).moment(of: time.written)
    }
  }

  /// The span between two moments, as this clock shows it.
  func span(_ period: EventPeriod) -> EventSpan {
    switch self {
    case .days: .days(from: period.start.date, to: period.end.date)
    case .zone(_, let name): .timed(from: period.start, to: period.end, zone: name)
    case .wall(let zone): .clock(from: Self.text(period.start), to: Self.text(period.end), zone: zone)
    }
  }

  /// The text of an original start in the identifier of an occurrence.
  func text(of original: Moment) -> String {
    switch self {
    case .days: original.date
    case .zone: original.description
    case .wall: Self.text(original)
    }
  }

  /// The time on a clock: the text in UTC without the `Z`.
  private static func text(_ moment: Moment) -> String { String(moment.description.dropLast()) }
}
