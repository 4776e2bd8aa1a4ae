import KeyplanModel

/// The events of a calendar object, with the zones that it defines.
struct ICalObject: Hashable, Sendable {
  /// In document order; expanded occurrences are separate events.
  var events: [ICalEvent] = []
  var zones: [ZoneDefinition] = []
  /// Events that cannot be read, or not completely.
  var unread: [Unread] = []

  struct Unread: Hashable, Sendable {
    /// The name for people, if that much could be read.
    let name: String?
    let fault: ICalFault
  }

  /// The years of all its times and of a range.
  func years(with range: EventPeriod) -> ClosedRange<Int> {
    let ends = [range.start, range.end].map { LocalTime(seconds: Int($0.seconds)).day.date.year }
    let years = ends + events.flatMap(\.times).map { $0.written.day.date.year }
    return max(1, years.min() ?? 1)...min(9999, max(1, years.max() ?? 1))
  }
}

extension ICalEvent {
  fileprivate var times: [ICalTime] {
    var times = [start] + recurrence.exclusions + recurrence.additions.map(\.start)
    if let occurrence { times.append(occurrence) }
    for case .at(let end)? in [end] + recurrence.additions.map(\.end) { times.append(end) }
    return times
  }
}
