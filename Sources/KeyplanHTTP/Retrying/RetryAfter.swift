/// The header `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
enum RetryAfter {
  /// The requested pause. Dates are compared with the service's own clock if the response contains it.
  ///
  /// - Parameters:
  ///   - date: the header `Date` of the same response.
  ///   - now: this machine's clock, in seconds since 1970.
  static func pause(_ text: String, date: String?, now: Int64) -> Duration? {
    if text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }), let seconds = Double(text) {
      // Some services send fractions. Longer than a day is treated as a day.
      return .seconds(min(seconds, 86_400))
    }
    guard let then = seconds(ofDate: text) else { return nil }
    return .seconds(max(0, then - (date.flatMap(seconds(ofDate:)) ?? now)))
  }

  /// An IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`, in seconds since 1970.
  static func seconds(ofDate text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]), let year = Int64(parts[3]),
      let month = months.firstIndex(of: String(parts[2])), (1...31).contains(day), (1970...9999).contains(year)
    else { return nil }
    let time = parts[4].split(separator: ":").compactMap { Int64($0) }
    guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2]) else {
      return nil
    }
    // Years from March, so that the leap day comes last.
    let shifted = month < 2 ? year - 1 : year
    let ofYear = (153 * Int64((month + 10) % 12) + 2) / 5 + day - 1
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
    return days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
