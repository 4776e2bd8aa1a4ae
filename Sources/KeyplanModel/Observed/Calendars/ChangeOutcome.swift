/// What became of asking for changes.
package enum ChangeOutcome: Hashable, Sendable {
  /// These, since the last time.
  case changed(CalendarChanges)
  /// The service does not know the token any more: what was kept of this calendar is wiped, and asked for anew.
  case resyncNeeded
}

/// CalendarChanges of a calendar.
package struct CalendarChanges: Hashable, Sendable {
  /// New ones, and changed ones as they are now.
  package let events: [CalendarEvent]
  /// The ids of those that are gone; some may never have been in the range.
  package let removed: [String]
  /// Whether this is everything there is in the range, so that whatever else was kept is gone.
  package let isWhole: Bool
  /// For the next time; `nil` where the service gives everything each time.
  package let next: SyncToken?
  /// Those that cannot be read, or not completely.
  package let unreadable: [UnreadableEvent]

  package init(
    events: [CalendarEvent], removed: [String], isWhole: Bool, next: SyncToken?, unreadable: [UnreadableEvent] = []
  ) {
    self.events = events
    self.removed = removed
    self.isWhole = isWhole
    self.next = next
    self.unreadable = unreadable
  }
}

/// Where a service left off telling changes: its own text, to be given back as it is.
package struct SyncToken: Hashable, Sendable {
  /// As the service wrote it.
  package let text: String

  package init(_ text: String) { self.text = text }
}
