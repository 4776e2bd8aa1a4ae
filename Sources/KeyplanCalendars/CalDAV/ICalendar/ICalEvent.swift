/// A `VEVENT`, of which what makes an appointment is kept (RFC 5545, section 3.6.1).
struct ICalEvent: Hashable, Sendable {
  /// When it is over.
  enum End: Hashable, Sendable {
    case at(ICalTime)
    case after(ICalDuration)
    /// A whole day, or a moment without length.
    case none
  }

  enum Status: String, Sendable {
    case tentative = "TENTATIVE"
    case confirmed = "CONFIRMED"
    case cancelled = "CANCELLED"
  }

  /// The same for all occurrences of a series.
  let uid: String
  /// Which occurrence it is, by when it was to begin.
  var occurrence: ICalTime?
  let start: ICalTime
  var end = End.none
  var summary: String?
  var location: String?
  var status: Status?
  /// Whether it stands for a series that was not expanded.
  var isSeries = false
}

/// Why calendar data cannot be used. Nothing of it is quoted.
struct ICalFault: Error, Hashable, Sendable {
  enum Reason: Hashable, Sendable {
    /// It does not begin and end as a calendar does, or ends early.
    case structure
    case line
    case missing(String)
    case value(String)
    case depth
    /// The server was asked to write out a series, and did not.
    case notExpanded
  }

  let reason: Reason
  /// Of the text as it came, from 1.
  let line: Int
}

extension ICalFault: CustomStringConvertible {
  /// A part of a sentence, about an entry.
  var description: String {
    switch reason {
    case .structure: "line \(line): it is not one whole calendar"
    case .line: "line \(line): this is no property"
    case .missing(let name): "line \(line): an event without \(name)"
    case .value(let name): "line \(line): \(name) has a value that it cannot have"
    case .depth: "line \(line): it is nested too deep"
    case .notExpanded: "line \(line): the server did not write out the series"
    }
  }
}
