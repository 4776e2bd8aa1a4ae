package import KeyplanCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension Style {
  /// To the minute, with its zone: `2026-11-21 10:12 +01:00` on a terminal, `2026-11-21 09:12Z` elsewhere.
  package func time(_ moment: Moment) -> String {
    var seconds = time_t(moment.seconds)
    var local = tm()
    guard usesLocalTime, localtime_r(&seconds, &local) != nil else { return "\(moment.dateAndMinute)Z" }
    let offset = Int64(local.tm_gmtoff)
    let minutes = abs(offset) / 60
    func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // Shifted by its offset, UTC shows what the clock on the wall does.
    return (moment + Interval(seconds: offset)).dateAndMinute
      + " \(offset < 0 ? "-" : "+")\(digits(minutes / 60)):\(digits(minutes % 60))"
  }
}
