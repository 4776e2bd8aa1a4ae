struct ICalDate: Hashable, Sendable {
  let year, month, day: Int
}

/// A local date and time.
struct ICalClock: Hashable, Sendable {
  let date: ICalDate
  let hour, minute, second: Int
}

/// A date or time (RFC 5545, sections 3.3.4 and 3.3.5), with its zone by name.
enum ICalTime: Hashable, Sendable {
  /// A whole day in any zone.
  case date(ICalDate)
  case utc(ICalClock)
  case zoned(ICalClock, zone: String)
  /// The same local time in any zone.
  case floating(ICalClock)

  /// - Parameter zone: the parameter `TZID`, which is ignored for dates and is not allowed with `Z`.
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

extension ICalTime {
  /// The time as written, whatever its zone; of a date, its midnight.
  var written: LocalTime {
    switch self {
    case .date(let date): LocalTime(date.civil)
    case .utc(let clock), .zoned(let clock, _), .floating(let clock): LocalTime(clock)
    }
  }

  /// The same; of a date, its last second.
  var lastWritten: LocalTime {
    if case .date = self { written + 86_399 } else { written }
  }
}

extension LocalTime {
  init(_ clock: ICalClock) {
    self.init(clock.date.civil, second: clock.hour * 3600 + clock.minute * 60 + clock.second)
  }
}

/// A duration (RFC 5545, section 3.3.6): days are calendar days, which may be shorter than 24 hours.
struct ICalDuration: Hashable, Sendable {
  let days: Int
  let seconds: Int

  /// Longer than any calendar; sums up to here cannot overflow, however often a unit is repeated.
  private static let longest = 1 << 40

  /// Never negative, since an event cannot end before it begins.
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
      guard days <= Self.longest, seconds <= Self.longest else { return nil }
    }
    (self.days, self.seconds) = (days, seconds)
  }
}

extension ICalDate: CustomStringConvertible {
  init?(_ digits: ArraySlice<UInt8>) {
    guard digits.count == 8, let year = digits.prefix(4).number, let month = digits.dropFirst(4).prefix(2).number,
      let day = digits.suffix(2).number, (1...12).contains(month), day >= 1
    else { return nil }
    guard day <= CivilDay.length(ofMonth: month, year: year) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  var civil: CivilDay { CivilDay(year: year, month: month, day: day) }

  var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

extension ICalClock: CustomStringConvertible {
  fileprivate init?(_ date: ICalDate, _ digits: ArraySlice<UInt8>) {
    guard digits.count == 6, let hour = digits.prefix(2).number, let minute = digits.dropFirst(2).prefix(2).number,
      let second = digits.suffix(2).number, hour < 24, minute < 60, second <= 60
    else { return nil }
    // Most clocks have no leap seconds.
    self.init(date: date, hour: hour, minute: minute, second: min(second, 59))
  }

  var description: String { "\(date)T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))" }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

extension ArraySlice<UInt8> {
  /// The value of decimal digits; short enough not to overflow.
  fileprivate var number: Int? {
    var sum = 0
    for byte in self {
      guard (0x30...0x39).contains(byte) else { return nil }
      sum = sum * 10 + Int(byte - 0x30)
    }
    return sum
  }
}
