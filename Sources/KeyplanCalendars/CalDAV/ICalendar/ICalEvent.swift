/// The relevant properties of a `VEVENT` (RFC 5545, section 3.6.1).
struct ICalEvent: Hashable, Sendable {
  /// The end of the event.
  enum End: Hashable, Sendable {
    case at(ICalTime)
    case after(ICalDuration)
    /// No end: a whole day, or an event without duration.
    case none
  }

  enum Status: String, Sendable {
    case tentative = "TENTATIVE"
    case confirmed = "CONFIRMED"
    case cancelled = "CANCELLED"
  }

  /// The same for all occurrences of a series.
  let uid: String
  /// The original start of the occurrence.
  var occurrence: ICalTime?
  let start: ICalTime
  var end = End.none
  var summary: String?
  var location: String?
  var status: Status?
  /// Whether it is a series that was not expanded.
  var isSeries = false
}

/// Why calendar data cannot be used. Quotes none of it.
struct ICalFault: Error, Hashable, Sendable {
  enum Reason: Hashable, Sendable {
    /// It does not begin or end like a calendar, or is truncated.
    case structure
    case line
    case missing(String)
    case value(String)
    case depth
    /// The server did not expand a series as requested.
    case notExpanded
  }

  let reason: Reason
  /// The line in the original text, from 1.
  let line: Int
}

extension ICalFault: CustomStringConvertible {
  /// A part of a sentence about an entry.
  var description: String {
    switch reason {
    case .structure: "line \(line): this is not a complete calendar"
    case .line: "line \(line): this is not a property"
    case .missing(let name): "line \(line): the event has no \(name)"
    case .value(let name): "line \(line): \(name) has an invalid value"
    case .depth: "line \(line): components are nested too deeply"
    case .notExpanded: "line \(line): the server did not expand the series"
    }
  }
}
