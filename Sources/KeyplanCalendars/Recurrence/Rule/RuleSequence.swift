/// The local times of a rule in ascending order. The start of its event is always the first one, also where the rule
/// itself would not select it.
///
/// Recurrences are times on a clock (RFC 5545, section 3.3.10), so no zone is needed here. Without `COUNT`, and where
/// each period has one occurrence, the periods before those that are asked for are skipped by arithmetic.
struct RuleSequence {
  private let rule: RecurrenceRule
  private let start: LocalTime
  /// Earlier times that the rule selects are left out.
  private let first: LocalTime
  private let selection: DaySelection
  private let lower, upper: LocalTime
  private let hours, minutes, seconds: [Int]

  /// The number of the next period: a year, month, week, day, hour, minute or second.
  private var period: Int
  /// The number of occurrences that `COUNT` leaves.
  private var remaining: Int
  /// The period whose times are being returned.
  private var current: RulePeriod?
  private var indices: [Int]?
  private var place = 0
  private var end = 0
  private var hasStarted: Bool
  private var isOver = false
  /// The last day that was looked at by a rule for hours, minutes or seconds.
  private var known: (day: CivilDay, isSelected: Bool)?

  /// - Parameters:
  ///   - lower: earlier times are left out, but count.
  ///   - upper: the last time that may be returned.
  ///   - includesStart: false for a rule of exclusions, which excludes only what it selects.
  init(
    _ rule: RecurrenceRule, from start: LocalTime, notBefore lower: LocalTime, upTo upper: LocalTime,
    includesStart: Bool = true
  ) {
    self.rule = rule
    self.start = start
    first = includesStart ? start + 1 : start
    hasStarted = !includesStart
    self.lower = max(lower, start)
    self.upper = min(upper, LocalTime.last)
    selection = DaySelection(rule, from: start.day)
    let second = start.second
    hours = rule.hours.isEmpty && rule.frequency >= .daily ? [second / 3600] : rule.hours
    minutes = rule.minutes.isEmpty && rule.frequency >= .hourly ? [second / 60 % 60] : rule.minutes
    seconds = rule.seconds.isEmpty && rule.frequency >= .minutely ? [second % 60] : rule.seconds
    remaining = rule.count ?? Int.max
    period = 0
    period = number(of: start)
    skipPeriods()
  }

  /// - Throws: if finding the next one takes too many steps.
  mutating func next(_ budget: inout WorkBudget) throws(SeriesFault) -> LocalTime? {
    if !hasStarted {
      hasStarted = true
      if start >= lower, start <= upper {
        try budget.spend()
        return start
      }
    }
    while true {
      if place < end, let current {
        let time = current[indices?[place] ?? place]
        place += 1
        guard time <= upper else { return nil }
        try budget.spend()
        return time
      }
      guard !isOver, remaining > 0 else { return nil }
      try budget.spend()
      try visit(&budget)
    }
  }

  private mutating func skipPeriods() {
    // The start is the first occurrence.
    if !hasStarted { remaining -= 1 }
    let skipped = (number(of: lower) - period) / rule.interval
    guard skipped > 0, rule.count == nil || rule.isPlain && !hasStarted else { return }
    period += skipped * rule.interval
    if rule.count != nil { remaining -= min(remaining, skipped - 1) }
  }

  /// Finds the times of the next period that has any, or moves on.
  private mutating func visit(_ budget: inout WorkBudget) throws(SeriesFault) {
    guard beginning(of: period) <= upper else {
      isOver = true
      return
    }
    let times: RulePeriod
    switch rule.frequency {
    case .yearly: times = of(try selection.days(ofYear: period, &budget))
    case .monthly:
      let (year, month) = (floorQuotient(period, 12), floorModulo(period, 12) + 1)
      times = of(try selection.days(ofMonth: month, year: year, &budget))
    case .weekly:
      try budget.spend(7)
      let monday = beginning(of: period).day
      times = of((0..<7).map { monday + $0 }.filter(selection.contains))
    case .daily: times = of([beginning(of: period).day].filter(selection.contains))
    case .hourly, .minutely, .secondly:
      let time = beginning(of: period)
      if let next = nextPossible(after: time) {
        let (gap, interval) = (number(of: next) - period, rule.interval)
        period += (gap + interval - 1) / interval * interval
        return
      }
      times = RulePeriod(
        days: [time.day], hours: [time.second / 3600],
        minutes: rule.frequency == .hourly ? minutes : [time.second / 60 % 60],
        seconds: rule.frequency == .secondly ? [time.second % 60] : seconds)
    }
    period += rule.interval
    try take(times, &budget)
  }

  private func of(_ days: [CivilDay]) -> RulePeriod {
    RulePeriod(days: days, hours: hours, minutes: minutes, seconds: seconds)
  }

  /// For a time at which a rule for hours, minutes or seconds has no occurrence: the next one at which it may have.
  private mutating func nextPossible(after time: LocalTime) -> LocalTime? {
    let (day, second) = (time.day, time.second)
    if known?.day != day { known = (day, selection.contains(day)) }
    guard known?.isSelected == true else { return LocalTime(day + 1) }
    if !rule.hours.isEmpty, !rule.hours.contains(second / 3600) {
      return LocalTime(day, second: (second / 3600 + 1) * 3600)
    }
    guard rule.frequency < .hourly else { return nil }
    if !rule.minutes.isEmpty, !rule.minutes.contains(second / 60 % 60) {
      return LocalTime(day, second: (second / 60 + 1) * 60)
    }
    guard rule.frequency == .secondly else { return nil }
    return rule.seconds.isEmpty || rule.seconds.contains(second % 60) ? nil : time + 1
  }

  private mutating func take(_ times: RulePeriod, _ budget: inout WorkBudget) throws(SeriesFault) {
    current = times
    if rule.positions.isEmpty {
      indices = nil
      place = times.index(notBefore: first)
      end = min(times.count, place + min(remaining, times.count))
      remaining -= end - place
      if lower > first { place = min(end, times.index(notBefore: lower)) }
    } else {
      try budget.spend(rule.positions.count)
      let chosen = times.indices(at: rule.positions).filter { times[$0] >= first }.prefix(remaining)
      remaining -= chosen.count
      indices = chosen.filter { times[$0] >= lower }
      (place, end) = (0, indices?.count ?? 0)
    }
  }

  /// The number of the period that has a time.
  private func number(of time: LocalTime) -> Int {
    switch rule.frequency {
    case .yearly: return time.day.date.year
    case .monthly:
      let date = time.day.date
      return date.year * 12 + date.month - 1
    // Day -3 is a Monday.
    case .weekly: return floorQuotient(time.day.number + 3 - rule.weekStart, 7)
    case .daily: return time.day.number
    case .hourly: return floorQuotient(time.seconds, 3600)
    case .minutely: return floorQuotient(time.seconds, 60)
    case .secondly: return time.seconds
    }
  }

  /// The beginning of a period.
  private func beginning(of period: Int) -> LocalTime {
    switch rule.frequency {
    case .yearly: LocalTime(CivilDay(year: period, month: 1, day: 1))
    case .monthly: LocalTime(CivilDay(year: floorQuotient(period, 12), month: floorModulo(period, 12) + 1, day: 1))
    case .weekly: LocalTime(CivilDay(number: period * 7 - 3 + rule.weekStart))
    case .daily: LocalTime(CivilDay(number: period))
    case .hourly: LocalTime(seconds: period * 3600)
    case .minutely: LocalTime(seconds: period * 60)
    case .secondly: LocalTime(seconds: period)
    }
  }
}
