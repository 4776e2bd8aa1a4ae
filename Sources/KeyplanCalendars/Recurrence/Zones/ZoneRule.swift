import KeyplanModel

/// A rule for all years, in the form of the variable TZ: `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX, and RFC 9636, section
/// 3.3.1).
struct ZoneRule: Sendable {
  /// Seconds east of UTC.
  private let standard: Int
  private var daylight: Daylight?

  private struct Daylight {
    let offset: Int
    let start, end: ChangeDate
  }

  private enum Day {
    /// The day of the year, which counts February 29 only if `leap`.
    case number(Int, leap: Bool)
    /// The week from 1 to 5, which is the last; a day from 0 for Sunday.
    case weekday(month: Int, week: Int, day: Int)
  }

  private struct ChangeDate {
    let day: Day
    /// Seconds after midnight; possibly negative.
    let time: Int
  }

  init?(_ text: ArraySlice<UInt8>) {
    var rest = Substring(decoding: text, as: UTF8.self)
    guard Self.takeName(&rest), let standard = Self.takeTime(&rest) else { return nil }
    self.standard = -standard
    if rest.isEmpty { return }
    guard Self.takeName(&rest) else { return nil }
    var offset = self.standard + 3600
    if rest.first != ",", let written = Self.takeTime(&rest) { offset = -written }
    guard let start = Self.takeDate(&rest), let end = Self.takeDate(&rest), rest.isEmpty else { return nil }
    daylight = Daylight(offset: offset, start: start, end: end)
  }

  /// In order for each year.
  func changes(in years: ClosedRange<Int>) -> [ClockZone.Change] {
    guard let daylight else { return [] }
    return years.flatMap { year in
      [
        ClockZone.Change(at: Self.moment(of: daylight.start, year, standard), offset: daylight.offset),
        ClockZone.Change(at: Self.moment(of: daylight.end, year, daylight.offset), offset: standard),
      ].sorted { $0.at < $1.at }
    }
  }

  private static func moment(of date: ChangeDate, _ year: Int, _ offset: Int) -> Moment {
    let first = CivilDay(year: year, month: 1, day: 1)
    let day: CivilDay
    switch date.day {
    case .number(let number, leap: true): day = first + number
    case .number(let number, leap: false):
      day = first + (number - 1 + (CivilDay.isLeap(year) && number >= 60 ? 1 : 0))
    case .weekday(let month, let week, let weekday):
      let start = CivilDay(year: year, month: month, day: 1)
      let ahead = floorModulo(weekday - 1 - start.weekday, 7) + (week - 1) * 7
      day = start + (ahead < CivilDay.length(ofMonth: month, year: year) ? ahead : ahead - 7)
    }
    return Moment(seconds: Int64(LocalTime(day, second: date.time).seconds - offset))
  }

  private static func takeName(_ rest: inout Substring) -> Bool {
    if rest.first == "<" {
      guard let end = rest.firstIndex(of: ">") else { return false }
      rest = rest[rest.index(after: end)...]
      return true
    }
    let name = rest.prefix { $0.isLetter }
    rest = rest[name.endIndex...]
    return name.count >= 3
  }

  /// Hours, minutes and seconds, with an optional sign.
  private static func takeTime(_ rest: inout Substring) -> Int? {
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    guard let hours = takeNumber(&rest, 0...167) else { return nil }
    var sum = hours * 3600
    for unit in [60, 1] where rest.first == ":" {
      rest = rest.dropFirst()
      guard let number = takeNumber(&rest, 0...59) else { return nil }
      sum += number * unit
    }
    return isNegative ? -sum : sum
  }

  private static func takeNumber(_ rest: inout Substring, _ range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    guard digits.utf8.count <= 3, let number = Int(digits), range.contains(number) else { return nil }
    rest = rest[digits.endIndex...]
    return number
  }

  private static func take(_ character: Character, _ rest: inout Substring) -> Bool {
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func takeDate(_ rest: inout Substring) -> ChangeDate? {
    guard take(",", &rest) else { return nil }
    let day: Day
    if take("M", &rest) {
      guard let month = takeNumber(&rest, 1...12), take(".", &rest), let week = takeNumber(&rest, 1...5),
        take(".", &rest), let weekday = takeNumber(&rest, 0...6)
      else { return nil }
      day = .weekday(month: month, week: week, day: weekday)
    } else {
      let skipsLeapDay = take("J", &rest)
      guard let number = takeNumber(&rest, skipsLeapDay ? 1...365 : 0...365) else { return nil }
      day = .number(number, leap: !skipsLeapDay)
    }
    guard take("/", &rest) else { return ChangeDate(day: day, time: 7200) }
    return takeTime(&rest).map { ChangeDate(day: day, time: $0) }
  }
}
