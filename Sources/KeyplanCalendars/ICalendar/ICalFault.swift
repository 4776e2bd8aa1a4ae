/// The reason that calendar data cannot be used. Quotes none of it.
struct ICalFault: Error, Hashable, Sendable {
  enum Reason: Error, Hashable, Sendable {
    /// It does not begin or end like a calendar, or is truncated.
    case structure
    case line
    case missing(String)
    case value(String)
    case depth
    /// A part of a recurrence rule that keyplan does not know.
    case unsupported(String)
    /// The end cannot be compared with the start, since the zone of one of them is unknown.
    case zone
    /// Only the first occurrences in the period are shown.
    case tooMany(Int)
    /// Not all occurrences could be found.
    case tooMuchWork
  }

  let reason: Reason
  /// The line in the original text, from 1; nil for an error in the event as a whole.
  let line: Int?
}

extension ICalFault: CustomStringConvertible {
  /// A part of a sentence about an entry.
  var description: String { line.map { "line \($0): \(words)" } ?? words }

  private var words: String {
    switch reason {
    case .structure: "this is not a complete calendar"
    case .line: "this is not a property"
    case .missing(let name): "the event has no \(name)"
    case .value(let name): "\(name) has an invalid value"
    case .depth: "components are nested too deeply"
    case .unsupported(let name): "\(name) of its recurrence rule is not supported"
    case .zone: "its time zone is not defined in the event or on this machine"
    case .tooMany(0): "none of its occurrences is shown, since all events have too many in this period"
    case .tooMany(let count): "only the first \(count) occurrences in this period are shown"
    case .tooMuchWork: "its recurrence rule takes too long to evaluate, so occurrences may be missing"
    }
  }
}
