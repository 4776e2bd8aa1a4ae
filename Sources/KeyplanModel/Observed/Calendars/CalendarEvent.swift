/// An event, or one instance of a recurring one.
package struct CalendarEvent: Hashable, Sendable {
  /// The service's own name for it.
  package let id: String
  /// The title; `nil` if the account may see only that the time is taken.
  package let title: String?
  /// The location, in the person's words.
  package let location: String?
  package let span: EventSpan

  package init(id: String, title: String?, location: String?, span: EventSpan) {
    self.id = id
    self.title = title
    self.location = location
    self.span = span
  }
}

/// The time of an event.
package enum EventSpan: Hashable, Sendable {
  /// From a moment to another one, and the zone it was entered in, by the name that the service has for it: IANA's, or
  /// one of Windows'.
  case timed(from: Moment, to: Moment, zone: String?)
  /// Wall-clock time in a zone without a definition, or in no zone at all, such as `2026-11-21T09:12:00`.
  case clock(from: String, to: String, zone: String?)
  /// Whole days, which have no zone: `2026-11-21`, up to and without the second.
  case days(from: String, to: String)
}

/// The events in a range.
package struct FoundEvents: Hashable, Sendable {
  /// In order of time.
  package let events: [CalendarEvent]
  /// Those that cannot be read, or not completely.
  package let unreadable: [UnreadableEvent]

  package init(_ events: [CalendarEvent], unreadable: [UnreadableEvent] = []) {
    self.events = events
    self.unreadable = unreadable
  }
}

/// An event that cannot be shown, or not completely.
package struct UnreadableEvent: Hashable, Sendable {
  /// Its title or identifier, which can be any text; `nil` if even that could not be read.
  package let name: String?
  /// The reason, as a part of a sentence.
  package let reason: String

  package init(name: String?, reason: String) {
    self.name = name
    self.reason = reason
  }
}

/// From a moment up to another one, which is later.
package struct EventRange: Hashable, Sendable {
  /// Events that end after this.
  package let from: Moment
  /// Events that begin before this.
  package let to: Moment

  /// `nil` if it would be empty: services refuse that.
  package init?(from: Moment, to: Moment) {
    guard from < to else { return nil }
    self.from = from
    self.to = to
  }
}

extension EventSpan {
  /// Its place in a list. An event without a time zone is placed as if it were in UTC.
  package var order: String {
    switch self {
    case .timed(let from, _, _): from.description
    case .clock(let from, _, _): from
    case .days(let from, _): from
    }
  }
}
