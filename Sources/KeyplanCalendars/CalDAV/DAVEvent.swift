/// An event, or one occurrence of a series.
struct DAVEvent: Hashable, Sendable {
  /// The resource that holds it: the same for all occurrences.
  let resource: String
  let event: ICalEvent
  /// The zone that it was written in, where the server gives its times in UTC; of a series, the series' own.
  var zone: String?
}

/// The events of a calendar in a stretch of time.
struct DAVEvents: Hashable, Sendable {
  var events: [DAVEvent] = []
  /// Resources that could not be read, by their path: one broken entry does not hide the others.
  var unreadable: [String: ICalFault] = [:]
}

/// What asking for a calendar's events again gave.
enum DAVRefresh: Hashable, Sendable {
  /// Nothing changed since.
  case unchanged(DAVMark)
  /// All events anew; `restarted` where the server did not know its own mark any more.
  case read(DAVEvents, DAVMark?, restarted: Bool)
}

/// What changed in a calendar.
struct DAVChanges: Hashable, Sendable {
  /// To ask from the next time.
  var token: String
  /// By path.
  var changed: Set<String> = []
  var removed: Set<String> = []
}
