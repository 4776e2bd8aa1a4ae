/// The days that a rule selects, with everything that the rule leaves open taken from the start of its event (RFC 5545, section
/// 3.3.10: *Information, not contained in the rule, …*).
struct DaySelection {
  private let months, monthDays, yearDays, weeks: [Int]
  private let weekdays: Set<Int>
  private let ordinals: [RecurrenceRule.Weekday]
  private let weekStart: Int
  /// Whether ordinals count in a month, not in a year.
  private let countsInMonth: Bool

  init(_ rule: RecurrenceRule, from start: CivilDay) {
    weekStart = rule.weekStart
    (yearDays, weeks) = (rule.yearDays, rule.weeks)
    var (months, monthDays) = (rule.months, rule.monthDays)
    // Ordinals have a meaning in months and years only.
    let hasOrdinals = rule.frequency >= .monthly
    ordinals = hasOrdinals ? rule.weekdays.filter { $0.ordinal != nil } : []
    var weekdays = Set(rule.weekdays.filter { $0.ordinal == nil || !hasOrdinals }.map(\.day))
    let date = start.date
    switch rule.frequency {
    case .yearly where rule.selectsNoDays:
      if months.isEmpty { months = [date.month] }
      monthDays = [date.day]
    case .yearly where rule.weekdays.isEmpty && rule.monthDays.isEmpty && rule.yearDays.isEmpty:
      weekdays = [start.weekday]
    case .monthly where rule.selectsNoDays: monthDays = [date.day]
    case .weekly where rule.selectsNoDays: weekdays = [start.weekday]
    default: break
    }
    (self.months, self.monthDays, self.weekdays) = (months, monthDays, weekdays)
    countsInMonth = rule.frequency == .monthly || !rule.months.isEmpty
  }

  /// The selected days of a year.
  func days(ofYear year: Int, _ budget: inout WorkBudget) throws(SeriesFault) -> [CivilDay] {
    var days: [CivilDay] = []
    for month in 1...12 where months.isEmpty || months.contains(month) {
      days += try self.days(ofMonth: month, year: year, &budget)
    }
    return days
  }

  /// The selected days of a month.
  func days(
    ofMonth month: Int, year: Int, _ budget: inout WorkBudget
  ) throws(SeriesFault) -> [CivilDay] {
    guard months.isEmpty || months.contains(month) else { return [] }
    let length = CivilDay.length(ofMonth: month, year: year)
    try budget.spend(length)
    let first = CivilDay(year: year, month: month, day: 1)
    return (1...length).filter { contains(first + ($0 - 1), year: year, month: month, day: $0) }.map {
      first + ($0 - 1)
    }
  }

  func contains(_ day: CivilDay) -> Bool {
    let (year, month, number) = day.date
    return contains(day, year: year, month: month, day: number)
  }

  private func contains(_ day: CivilDay, year: Int, month: Int, day number: Int) -> Bool {
    if !months.isEmpty, !months.contains(month) { return false }
    if !monthDays.isEmpty {
      let fromEnd = number - CivilDay.length(ofMonth: month, year: year) - 1
      guard monthDays.contains(number) || monthDays.contains(fromEnd) else { return false }
    }
    if !yearDays.isEmpty {
      let ofYear = Self.dayOfYear(day, year)
      guard yearDays.contains(ofYear) || yearDays.contains(ofYear - CivilDay.length(ofYear: year) - 1) else {
        return false
      }
    }
    if !weeks.isEmpty {
      let (week, count) = self.week(of: day)
      guard weeks.contains(week) || weeks.contains(week - count - 1) else { return false }
    }
    if weekdays.isEmpty, ordinals.isEmpty { return true }
    return weekdays.contains(day.weekday) || hasOrdinal(day, year: year, month: month, day: number)
  }

  private func hasOrdinal(_ day: CivilDay, year: Int, month: Int, day number: Int) -> Bool {
    guard ordinals.contains(where: { $0.day == day.weekday }) else { return false }
    let (place, length) =
      countsInMonth
      ? (number, CivilDay.length(ofMonth: month, year: year))
      : (Self.dayOfYear(day, year), CivilDay.length(ofYear: year))
    let (fromStart, fromEnd) = ((place - 1) / 7 + 1, -((length - place) / 7 + 1))
    return ordinals.contains { $0.day == day.weekday && ($0.ordinal == fromStart || $0.ordinal == fromEnd) }
  }

  /// The number of a day's week, and how many weeks that year has. The first week is the first with four days of the
  /// year.
  private func week(of day: CivilDay) -> (week: Int, count: Int) {
    func fourth(_ day: CivilDay) -> CivilDay { day + (3 - floorModulo(day.weekday - weekStart, 7)) }
    let middle = fourth(day)
    let year = middle.date.year
    func week(_ middle: CivilDay) -> Int { (Self.dayOfYear(middle, year) - 1) / 7 + 1 }
    return (week(middle), week(fourth(CivilDay(year: year, month: 12, day: 28))))
  }

  private static func dayOfYear(_ day: CivilDay, _ year: Int) -> Int {
    day.number - CivilDay(year: year, month: 1, day: 1).number + 1
  }
}
