import KeyplanModel

/// A `VTIMEZONE` (RFC 5545, section 3.6.5).
struct ZoneDefinition: Hashable, Sendable {
  /// A `STANDARD` or `DAYLIGHT`: an offset, and when it begins to apply.
  struct Observance: Hashable, Sendable {
    /// On the clocks before the change.
    let start: ICalTime
    /// Seconds east of UTC, before and after.
    let from, to: Int
    var rules: [RecurrenceRule] = []
    var dates: [ICalTime] = []
  }

  let name: String
  let observances: [Observance]

  /// The zone with its changes in these years. Changes that do not recur are all included.
  func zone(
    years: ClosedRange<Int>, _ budget: inout WorkBudget
  ) throws(SeriesFault) -> ClockZone {
    let window = (
      LocalTime(CivilDay(year: years.lowerBound - 1, month: 1, day: 1)),
      LocalTime(CivilDay(year: years.upperBound + 1, month: 1, day: 1))
    )
    var changes: [ClockZone.Change] = []
    var earliest: (at: Moment, offset: Int)?
    for observance in observances {
      for time in try observance.onsets(window, &budget) {
        let moment = Moment(seconds: Int64(time.seconds - observance.from))
        changes.append(ClockZone.Change(at: moment, offset: observance.to))
        if moment < earliest?.at ?? Moment(seconds: .max) { earliest = (moment, observance.from) }
      }
    }
    return ClockZone(first: earliest?.offset ?? 0, changes: changes)
  }
}

extension ZoneDefinition.Observance {
  /// The times at which it begins to apply, on the clocks before the change.
  fileprivate func onsets(
    _ window: (LocalTime, LocalTime), _ budget: inout WorkBudget
  ) throws(SeriesFault) -> [LocalTime] {
    let first = start.written
    var onsets = [first] + dates.map(\.written)
    for rule in rules {
      // The last change of a rule that ended before the window may still apply in it.
      let isEndless = rule.until == nil && rule.count == nil
      let until: LocalTime? =
        switch rule.until {
        case .utc(let clock)?: LocalTime(clock) + from
        case let time?: time.lastWritten
        case nil: nil
        }
      var times = RuleSequence(
        rule, from: first, notBefore: isEndless ? window.0 : first, upTo: min(window.1, until ?? window.1))
      while let time = try times.next(&budget) { onsets.append(time) }
    }
    return onsets
  }
}
