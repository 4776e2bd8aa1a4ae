/// An event, or one occurrence of a series.
struct DAVEvent: Hashable, Sendable {
  /// The resource of the event; the same for all occurrences.
  let resource: String
  let occurrence: Occurrence
}

/// The events of a calendar in a period.
struct DAVEvents: Hashable, Sendable {
  var events: [DAVEvent] = []
  /// Entries that cannot be read, or not completely: an invalid entry does not hide the others.
  var unread: [DAVUnread] = []
}

/// An event that cannot be read, or not completely.
struct DAVUnread: Hashable, Sendable {
  let resource: String
  /// The name for people.
  let name: String
  let fault: ICalFault
}

/// The result of reading a calendar's events again.
enum DAVRefresh: Hashable, Sendable {
  /// Nothing has changed.
  case unchanged(DAVMark)
  /// All events; `restarted` if the server no longer knew its own mark.
  case read(DAVEvents, DAVMark?, restarted: Bool)
}

/// The changes in a calendar.
struct DAVChanges: Hashable, Sendable {
  /// The token for the next request.
  var token: String
  /// Paths of changed resources.
  var changed: Set<String> = []
  var removed: Set<String> = []
}
