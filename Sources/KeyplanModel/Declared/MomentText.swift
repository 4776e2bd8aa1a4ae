/// ISO 8601 in UTC, written and read without Foundation.
/// The calendar arithmetic is Howard Hinnant's `days_from_civil` and its inverse (proleptic Gregorian).
extension Moment: CustomStringConvertible {
  /// `2026-11-21T09:12:00Z`.
  package var description: String {
    "\(date)T\(Self.padded(secondOfDay / 3600)):\(Self.padded(secondOfDay / 60 % 60)):\(Self.padded(secondOfDay % 60))Z"
  }

  /// `2026-11-21`.
  package var date: String {
    let (year, month, day) = Self.civil(day: dayNumber)
    let digits = String(year)
    let filled = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    return "\(filled)-\(Self.padded(Int64(month)))-\(Self.padded(Int64(day)))"
  }

  /// `2026-11-21 09:12`, for people.
  package var dateAndMinute: String {
    "\(date) \(Self.padded(secondOfDay / 3600)):\(Self.padded(secondOfDay / 60 % 60))"
  }

  /// Reads `2026-11-21`, `2026-11-21T09:12:00Z`, or the same with an offset such as `+01:00`; years 1970 to 9999. A date without a time
  /// means midnight UTC. Nil for anything else, including days that do not exist.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]), let day = Self.number(bytes[8..<10]),
      year >= 1970, (1...12).contains(month), day >= 1
    else { return nil }
    let days = Self.days(year: year, month: month, day: day)
    let back = Self.civil(day: days)
    guard back == (year, Int(month), Int(day)) else { return nil }
    guard bytes.count > 10 else {
      self.init(seconds: days * 86400)
      return
    }
    guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), let hour = Self.number(bytes[11..<13]), let minute = Self.number(bytes[14..<16]),
      let second = Self.number(bytes[17..<19]), hour < 24, minute < 60, second < 60,
      let offset = Self.offset(bytes[19...])
    else { return nil }
    self.init(seconds: days * 86400 + hour * 3600 + minute * 60 + second - offset)
  }

  private var dayNumber: Int64 { seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400 }
  private var secondOfDay: Int64 { seconds - dayNumber * 86400 }

  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
    if bytes.elementsEqual("Z".utf8) { return 0 }
    let first = bytes.startIndex
    guard bytes.count == 6, bytes[first] == UInt8(ascii: "+") || bytes[first] == UInt8(ascii: "-"),
      bytes[first + 3] == UInt8(ascii: ":"), let hours = number(bytes[first + 1..<first + 3]),
      let minutes = number(bytes[first + 4..<first + 6]), hours < 24, minutes < 60
    else { return nil }
    let size = hours * 3600 + minutes * 60
    return bytes[first] == UInt8(ascii: "-") ? -size : size
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    digits.reduce(into: Int64?(0)) { sum, byte in
      let digit = Int64(byte) - Int64(UInt8(ascii: "0"))
      sum = (0...9).contains(digit) ? sum.map { $0 * 10 + digit } : nil
    }
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The number of a day since 1970-01-01. A day beyond the end of its month is one of the next.
  package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The date of a day by its number since 1970-01-01.
  package static func civil(day: Int64) -> (year: Int64, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), Int(month), Int(dayOfYear - (153 * part + 2) / 5 + 1))
  }
}
