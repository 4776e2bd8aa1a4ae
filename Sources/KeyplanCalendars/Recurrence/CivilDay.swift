import KeyplanModel

/// A day of the proleptic Gregorian calendar, by its number since 1970-01-01.
struct CivilDay: Hashable, Comparable, Sendable {
  let number: Int

  init(number: Int) { self.number = number }

  init(year: Int, month: Int, day: Int) {
    number = Int(Moment.days(year: Int64(year), month: Int64(month), day: Int64(day)))
  }

  var date: (year: Int, month: Int, day: Int) {
    let (year, month, day) = Moment.civil(day: Int64(number))
    return (Int(year), month, day)
  }

  /// From 0 for Monday to 6 for Sunday.
  var weekday: Int { floorModulo(number + 3, 7) }

  static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }

  static func + (day: CivilDay, days: Int) -> CivilDay { CivilDay(number: day.number + days) }

  static func length(ofMonth month: Int, year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  static func length(ofYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

/// The time on a local clock, in seconds since it showed 1970-01-01T00:00:00.
struct LocalTime: Hashable, Comparable, Sendable {
  let seconds: Int

  /// The end of the last year that can be written.
  static let last = LocalTime(CivilDay(year: 9999, month: 12, day: 31), second: 86_399)

  init(seconds: Int) { self.seconds = seconds }

  init(_ day: CivilDay, second: Int = 0) { seconds = day.number * 86_400 + second }

  var day: CivilDay { CivilDay(number: floorQuotient(seconds, 86_400)) }

  /// The second of the day, from 0.
  var second: Int { floorModulo(seconds, 86_400) }

  static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }

  static func + (time: LocalTime, seconds: Int) -> LocalTime { LocalTime(seconds: time.seconds + seconds) }
}

/// The quotient, rounded down for negative numbers, too.
func floorQuotient(_ number: Int, _ divisor: Int) -> Int {
  let quotient = number / divisor
  return number % divisor < 0 ? quotient - 1 : quotient
}

/// The remainder that is never negative.
func floorModulo(_ number: Int, _ divisor: Int) -> Int { number - floorQuotient(number, divisor) * divisor }
