/// A length of time in whole seconds. A day is always 24 hours, also when clocks change.
package struct Interval: Hashable, Sendable, Codable {
  package let seconds: Int64

  /// Any number of seconds.
  package init(seconds: Int64) { self.seconds = seconds }

  /// So many days of 24 hours.
  package static func days(_ count: Int64) -> Interval { Interval(seconds: count * 86400) }

  /// Encodes as the bare number of seconds.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(seconds)
  }

  /// Decodes the bare number of seconds.
  package init(from decoder: any Decoder) throws {
    seconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Reads `45s`, `30m`, `12h`, `90d` or `6w`: a whole number above zero and a unit. Nil for anything else, and for more
  /// than 1000 years.
  package init?(_ text: String) {
    let factors: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800]
    guard let unit = text.last, let factor = factors[unit], let count = Int64(text.dropLast()), count > 0,
      text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }), count <= 31_557_600_000 / factor
    else { return nil }
    seconds = count * factor
  }
}

extension Interval: CustomStringConvertible, Comparable {
  /// The largest unit that divides it: `90d`, `36h`.
  package var description: String {
    for (unit, factor) in [("w", 604_800), ("d", 86400), ("h", 3600), ("m", 60)] as [(String, Int64)]
    where seconds % factor == 0 && seconds != 0 && !(unit == "w" && seconds >= 604_800 * 8) {
      return "\(seconds / factor)\(unit)"
    }
    return "\(seconds)s"
  }

  /// In words and rounded down, for people: `90 days`, `24 hours`, `5 seconds`.
  package var spoken: String {
    let size = abs(seconds)
    let (count, unit): (Int64, String) =
      switch size {
      case 172_800...: (size / 86400, "day")
      case 7200...: (size / 3600, "hour")
      case 120...: (size / 60, "minute")
      default: (size, "second")
      }
    return count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
  }

  /// Shorter is less.
  package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}
