/// The result of a request for changes.
package enum ChangeOutcome: Hashable, Sendable {
  /// These, since the last time.
  case changed(CalendarChanges)
  /// The service no longer knows the token: the cache of this calendar must be cleared, and filled again.
  case resyncNeeded
}

/// CalendarChanges of a calendar.
package struct CalendarChanges: Hashable, Sendable {
  /// New ones, and the current form of changed ones.
  package let events: [CalendarEvent]
  /// The ids of those that are gone; some may never have been in the range.
  package let removed: [String]
  /// Whether these are all events in the range, so that all other cached ones were deleted.
  package let isWhole: Bool
  /// The token for the next request; `nil` if the service returns everything each time.
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

/// The service's sync token, returned unchanged.
package struct SyncToken: Hashable, Sendable {
  /// As the service wrote it.
  package let text: String

  package init(_ text: String) { self.text = text }
}
