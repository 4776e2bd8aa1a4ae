/// A day of the calendar.
struct ICalDate: Hashable, Sendable {
  let year, month, day: Int
}

/// What a clock shows, on a day, somewhere.
struct ICalClock: Hashable, Sendable {
  let date: ICalDate
  let hour, minute, second: Int
}

/// When (RFC 5545, sections 3.3.4 and 3.3.5). A zone is kept by its name: what it means is not computed here.
enum ICalTime: Hashable, Sendable {
  /// A whole day, wherever one is.
  case date(ICalDate)
  case utc(ICalClock)
  case zoned(ICalClock, zone: String)
  /// The same on the clock wherever one is.
  case floating(ICalClock)

  /// - Parameter zone: the parameter `TZID`; it means nothing beside `Z`, nor for a day.
  init?(_ text: ArraySlice<UInt8>, zone: String?) {
    guard let date = ICalDate(text.prefix(8)) else { return nil }
    if text.count == 8 {
      self = .date(date)
      return
    }
    let rest = text.dropFirst(8)
    guard rest.first == UInt8(ascii: "T"), let clock = ICalClock(date, rest.dropFirst().prefix(6)) else { return nil }
    switch (rest.dropFirst(7), zone) {
    case (let end, _) where end.elementsEqual([UInt8(ascii: "Z")]): self = .utc(clock)
    case (let end, let zone?) where end.isEmpty: self = .zoned(clock, zone: zone)
    case (let end, nil) where end.isEmpty: self = .floating(clock)
    default: return nil
    }
  }
}

/// How long (RFC 5545, section 3.3.6): days are those of the calendar, of which some are shorter.
struct ICalDuration: Hashable, Sendable {
  let days: Int
  let seconds: Int

  /// Never negative: an event does not end before it begins.
  init?(_ text: ArraySlice<UInt8>) {
    var rest = text
    if rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
    var (days, seconds, inTime) = (0, 0, false)
    while let first = rest.first {
      if first == UInt8(ascii: "T"), !inTime {
        inTime = true
        rest = rest.dropFirst()
      }
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      guard (1...9).contains(digits.count), let number = digits.number, let unit = rest.popFirst() else { return nil }
      switch (unit, inTime) {
      case (UInt8(ascii: "W"), false): days += number * 7
      case (UInt8(ascii: "D"), false): days += number
      case (UInt8(ascii: "H"), true): seconds += number * 3600
      case (UInt8(ascii: "M"), true): seconds += number * 60
      case (UInt8(ascii: "S"), true): seconds += number
      default: return nil
      }
    }
    (self.days, self.seconds) = (days, seconds)
  }
}

extension ICalDate: CustomStringConvertible {
  init?(_ digits: ArraySlice<UInt8>) {
    guard digits.count == 8, let year = digits.prefix(4).number, let month = digits.dropFirst(4).prefix(2).number,
      let day = digits.suffix(2).number, (1...12).contains(month), day >= 1
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// `2026-11-21`.
  var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

extension ICalClock: CustomStringConvertible {
  fileprivate init?(_ date: ICalDate, _ digits: ArraySlice<UInt8>) {
    guard digits.count == 6, let hour = digits.prefix(2).number, let minute = digits.dropFirst(2).prefix(2).number,
      let second = digits.suffix(2).number, hour < 24, minute < 60, second <= 60
    else { return nil }
    // A leap second is one that most clocks do not have.
    self.init(date: date, hour: hour, minute: minute, second: min(second, 59))
  }

  /// `2026-11-21T09:12:00`.
  var description: String { "\(date)T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))" }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

extension ArraySlice<UInt8> {
  /// Of decimal digits alone; short enough not to overflow.
  fileprivate var number: Int? {
    var sum = 0
    for byte in self {
      guard (0x30...0x39).contains(byte) else { return nil }
      sum = sum * 10 + Int(byte - 0x30)
    }
    return sum
  }
}
