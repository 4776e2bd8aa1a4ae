package import KeyplanModel

/// Texts for time spans as people count them, in whole days.
package enum Spans {
  /// `expires 2027-02-19 (in 90 days)`, or `expired 2026-11-20 (yesterday)`.
  package static func expiry(_ state: Expiry.State, at now: Moment) -> String {
    switch state {
    case .fresh(let end), .soon(let end): "expires \(end.date) (\(relative(end, to: now)))"
    case .over(let end): "expired \(end.date) (\(relative(end, to: now)))"
    }
  }

  /// `in 90 days`, `tomorrow`, `today`, `yesterday`, `3 days ago`: by dates in UTC, like the dates in the surrounding text.
  package static func relative(_ moment: Moment, to now: Moment) -> String {
    switch day(of: moment) - day(of: now) {
    case 0: "today"
    case 1: "tomorrow"
    case -1: "yesterday"
    case let days where days > 0: "in \(days) days"
    case let days: "\(-days) days ago"
    }
  }

  /// `12 days`, `1 day`, `today`.
  package static func age(since moment: Moment, at now: Moment) -> String {
    let days = (now - moment).seconds / 86400
    return days <= 0 ? "today" : count(Int(days), "day")
  }

  /// `1 day`, `2 days`.
  package static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }

  /// `A, B and 9,995 more`: all of them if there are no more than `count`.
  package static func list(_ names: [String], showing count: Int) -> String {
    guard names.count > count else { return names.joined(separator: ", ") }
    return names.prefix(count).joined(separator: ", ") + " and \(number(names.count - count)) more"
  }

  /// The same with names in quotes: `"a", "b" and 2 more`.
  package static func quoted<Subject>(_ names: [Identifier<Subject>], showing count: Int = 8) -> String {
    list(names.map { "\"\($0)\"" }, showing: count)
  }

  /// With commas between thousands: `9,995`.
  package static func number(_ number: Int) -> String {
    var digits = Array(String(abs(number)))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return (number < 0 ? "-" : "") + String(digits)
  }

  private static func day(of moment: Moment) -> Int64 {
    moment.seconds >= 0 ? moment.seconds / 86400 : (moment.seconds - 86399) / 86400
  }
}
