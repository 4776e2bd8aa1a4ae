/// What became of asking for changes.
public enum ChangeOutcome: Hashable, Sendable {
  /// These, since the last time.
  case changed(Changes)
  /// The service does not know the token any more: what was kept of this calendar is wiped, and asked for anew.
  case resyncNeeded
}

/// Changes of a calendar.
public struct Changes: Hashable, Sendable {
  /// New ones, and changed ones as they are now.
  public let events: [CalendarEvent]
  /// The ids of those that are gone; some may never have been in the range.
  public let removed: [String]
  /// Whether this is everything there is in the range, so that whatever else was kept is gone.
  public let isWhole: Bool
  /// For the next time; `nil` where the service gives everything each time.
  public let next: SyncToken?
  /// How many the service gave that could not be read.
  public let unreadable: Int

  /// Nothing is checked.
  public init(events: [CalendarEvent], removed: [String], isWhole: Bool, next: SyncToken?, unreadable: Int = 0) {
    self.events = events
    self.removed = removed
    self.isWhole = isWhole
    self.next = next
    self.unreadable = unreadable
  }
}

/// Where a service left off telling changes: its own text, to be given back as it is.
public struct SyncToken: Hashable, Sendable {
  /// As the service wrote it.
  public let text: String

  /// Nothing is checked.
  public init(_ text: String) { self.text = text }
}
