/// The lifetime of a key, the time of the warning, and the consequence.
package struct Expiry: Hashable, Sendable, Codable {
  /// The form of the expiry date.
  package enum Limit: Hashable, Sendable {
    /// This long after the key was issued, or first stored if the manifest has no date of issue.
    case after(Interval)
    /// At a fixed moment.
    case on(Moment)
  }

  /// The consequence of the expiry.
  package enum Consequence: String, Sendable, Codable, CaseIterable {
    /// A warning is reported, and the key stays in use.
    case warn
    /// The next apply retires the key if something else is usable: then no slot chooses it and no reader gets it.
    case retire
    /// The next apply makes a new value. Only for keys whose value keyplan generates or has made at their provider.
    case rotate
  }

  /// The state of a key at a moment.
  package enum State: Hashable, Sendable {
    /// It has not expired, and no warning is due yet.
    case fresh(until: Moment)
    /// The end is near.
    case soon(until: Moment)
    /// It has expired.
    case over(since: Moment)

    /// The moment of the end.
    package var end: Moment {
      switch self {
      case .fresh(let end), .soon(let end), .over(let end): end
      }
    }
  }

  /// The expiry date, absolute or as an age.
  package let limit: Limit
  /// The time of the warning before the expiry.
  package let warn: Interval
  /// The consequence of the expiry.
  package let then: Consequence

  /// The time for which a key that was replaced at its provider stays valid; nil for the default.
  package let overlap: Interval?

  /// The time for which programs can go on using a key that they have in memory.
  package static let defaultOverlap = Interval.days(1)

  /// - Parameter warn: not negative, as `overlap`.
  package init(_ limit: Limit, warn: Interval, then: Consequence, overlap: Interval? = nil) {
    self.overlap = overlap
    self.limit = limit
    self.warn = warn
    self.then = then
  }

  /// The state at `now` of a key that was issued, or else stored, at `start`.
  package func state(from start: Moment, at now: Moment) -> State {
    let end = end(from: start)
    if now >= end { return .over(since: end) }
    return now >= end - warn ? .soon(until: end) : .fresh(until: end)
  }

  /// The end of a key that was issued, or else stored, at `start`.
  package func end(from start: Moment) -> Moment {
    switch limit {
    case .after(let interval): start + interval
    case .on(let moment): moment
    }
  }
}

/// `{"after":7776000}` in seconds, or `{"on":"2027-02-19T00:00:00Z"}`.
extension Expiry.Limit: Codable {
  private enum Field: String, CodingKey { case after, on }

  /// Writes the one field that it has.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    switch self {
    case .after(let interval): try fields.encode(interval, forKey: .after)
    case .on(let moment): try fields.encode(moment, forKey: .on)
    }
  }

  /// Reads what `encode` writes.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    if let interval = try fields.decodeIfPresent(Interval.self, forKey: .after) {
      self = .after(interval)
    } else {
      self = .on(try fields.decode(Moment.self, forKey: .on))
    }
  }
}
