/// The reason that a rule cannot be used.
enum RuleFault: Error, Hashable, Sendable {
  case invalid
  /// It has a part that keyplan does not know, such as `RSCALE` (RFC 7529).
  case unsupported(String)
}

extension RecurrenceRule {
  /// - Parameter text: such as `FREQ=WEEKLY;BYDAY=MO,TH`.
  init(_ text: ArraySlice<UInt8>) throws(RuleFault) {
    var parts: [String: Substring] = [:]
    for part in String(decoding: text, as: UTF8.self).uppercased().split(separator: ";") {
      guard let equals = part.firstIndex(of: "=") else { throw .invalid }
      let name = String(part[..<equals])
      guard parts.updateValue(part[part.index(after: equals)...], forKey: name) == nil else { throw .invalid }
    }
    guard let frequency = parts.removeValue(forKey: "FREQ").flatMap({ Self.frequencies[String($0)] }) else {
      throw .invalid
    }
    self.init(frequency: frequency)
    for (name, value) in parts { try take(name, value) }
  }

  private static let frequencies: [String: Frequency] = [
    "SECONDLY": .secondly, "MINUTELY": .minutely, "HOURLY": .hourly, "DAILY": .daily, "WEEKLY": .weekly,
    "MONTHLY": .monthly, "YEARLY": .yearly,
  ]

  private static let weekdayNames: [Substring: Int] = [
    "MO": 0, "TU": 1, "WE": 2, "TH": 3, "FR": 4, "SA": 5, "SU": 6,
  ]

  private mutating func take(_ name: String, _ value: Substring) throws(RuleFault) {
    switch name {
    case "INTERVAL": interval = try Self.number(value, 1...999_999_999)
    case "COUNT": count = try Self.number(value, 1...999_999_999)
    case "UNTIL":
      guard let time = ICalTime(Array(value.utf8)[...], zone: nil) else { throw .invalid }
      until = time
    case "WKST":
      guard let day = Self.weekdayNames[value] else { throw .invalid }
      weekStart = day
    // 60 is a leap second, which most clocks do not show.
    case "BYSECOND": seconds = Set(try Self.numbers(value, 0...60).map { min($0, 59) }).sorted()
    case "BYMINUTE": minutes = try Self.numbers(value, 0...59)
    case "BYHOUR": hours = try Self.numbers(value, 0...23)
    case "BYMONTHDAY": monthDays = try Self.numbers(value, -31...31, isSigned: true)
    case "BYYEARDAY": yearDays = try Self.numbers(value, -366...366, isSigned: true)
    case "BYWEEKNO": weeks = try Self.numbers(value, -53...53, isSigned: true)
    case "BYMONTH": months = try Self.numbers(value, 1...12)
    case "BYSETPOS": positions = try Self.numbers(value, -366...366, isSigned: true)
    case "BYDAY": weekdays = try Self.weekdays(value)
    case "RSCALE" where value == "GREGORIAN", "SKIP" where value == "OMIT": break
    case "RSCALE", "SKIP": throw .unsupported(name)
    case _ where name.hasPrefix("X-"): break
    default: throw .invalid
    }
  }

  private static func number(_ text: Substring, _ range: ClosedRange<Int>) throws(RuleFault) -> Int {
    let digits = text.utf8.first == UInt8(ascii: "-") || text.utf8.first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text), range.contains(number)
    else { throw .invalid }
    return number
  }

  /// - Parameter isSigned: whether the numbers count from 1 or, below 0, from the end.
  private static func numbers(
    _ text: Substring, _ range: ClosedRange<Int>, isSigned: Bool = false
  ) throws(RuleFault) -> [Int] {
    var found: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let number = try number(part, range)
      if isSigned, number == 0 { throw .invalid }
      found.insert(number)
    }
    return found.sorted()
  }

  private static func weekdays(_ text: Substring) throws(RuleFault) -> [Weekday] {
    var found: Set<Weekday> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let day = weekdayNames[part.suffix(2)] else { throw .invalid }
      let ordinal = part.count > 2 ? try number(part.dropLast(2), -53...53) : nil
      if ordinal == 0 { throw .invalid }
      found.insert(Weekday(day: day, ordinal: ordinal))
    }
    return found.sorted { ($0.ordinal ?? 0, $0.day) < ($1.ordinal ?? 0, $1.day) }
  }
}
