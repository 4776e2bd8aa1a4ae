/// A point in time, in whole seconds since 1970-01-01T00:00:00Z. The core has no clock: a moment is always an argument.
package struct Moment: Hashable, Sendable, Codable {
  /// Seconds since the Unix epoch, without leap seconds (POSIX).
  package let seconds: Int64

  /// Any number of seconds.
  package init(seconds: Int64) { self.seconds = seconds }

  /// Encodes as its description, ISO 8601 in UTC.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes what `encode` writes.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let moment = Moment(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is not a moment.")
    }
    self = moment
  }

  /// This long later.
  package static func + (moment: Moment, interval: Interval) -> Moment {
    Moment(seconds: moment.seconds + interval.seconds)
  }

  /// This long earlier.
  package static func - (moment: Moment, interval: Interval) -> Moment {
    Moment(seconds: moment.seconds - interval.seconds)
  }

  /// The time between two moments; negative when the second is the later one.
  package static func - (left: Moment, right: Moment) -> Interval {
    Interval(seconds: left.seconds - right.seconds)
  }
}

extension Moment: Comparable {
  /// Earlier is less.
  package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}
