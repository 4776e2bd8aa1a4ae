package import KeyplanModel

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension Style {
  /// To the minute, with its zone: `2026-11-21 10:12 +01:00` on a terminal, `2026-11-21 09:12Z` elsewhere. The only way in which a time
  /// is written for people.
  package func time(_ moment: Moment) -> String {
    let (clock, zone) = written(moment)
    return clock + zone
  }

  /// A date where a person gave one, without a time: midnight UTC.
  package func dateOrTime(_ moment: Moment) -> String { moment.seconds % 86400 == 0 ? moment.date : time(moment) }

  /// From one time to another: `2026-11-21 09:00–10:30Z`.
  package func span(from: Moment, to: Moment) -> String {
    let (start, end) = (written(from), written(to))
    // Across a change of the clocks each has a zone of its own.
    guard start.zone == end.zone else { return "\(time(from)) – \(time(to))" }
    let isOneDay = start.clock.prefix(10) == end.clock.prefix(10)
    return start.clock + (isOneDay ? "–\(end.clock.dropFirst(11))" : " – \(end.clock)") + end.zone
  }

  private func written(_ moment: Moment) -> (clock: String, zone: String) {
    var seconds = time_t(moment.seconds)
    var local = tm()
    guard usesLocalTime, localtime_r(&seconds, &local) != nil else { return (moment.dateAndMinute, "Z") }
    let offset = Int64(local.tm_gmtoff)
    let minutes = abs(offset) / 60
    func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // Shifted by its offset, a UTC time has the fields of the wall clock.
    let clock = (moment + Interval(seconds: offset)).dateAndMinute
    return (clock, " \(offset < 0 ? "-" : "+")\(digits(minutes / 60)):\(digits(minutes % 60))")
  }
}
