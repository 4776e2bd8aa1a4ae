package import KeyplanModel
package import KeyplanPlanning

/// The JSON of `calendar status`; `schemas/calendarStatus.schema.json`.
package struct AccountStatusDocument: Encodable {
  package let formatVersion = 1
  package let environment: String?
  package let store: StoreFields?
  package let accounts: [Row]

  package struct Row: Encodable {
    package let name: Identifier<Account>
    package let service: AccountFacts.Service
    package let account: String
    package let state: String
    package let reason: String
    package let next: Next
    package let calendar: AccountCalendar?
    package let tokenUntil: Moment?
    package let signedInAt: Moment?
    package let refreshedAt: Moment?
    package let signInEndsAt: Moment?
    package let signInEndsBecause: AccountForecast.Cause?
  }

  package struct Next: Encodable {
    package let action: String
    package let command: String?
    package let hint: String?
  }

  package init(_ statuses: [AccountStatus], environment: String?, store: StoreState?) {
    self.environment = environment
    self.store = store.map(StoreFields.init)
    accounts = statuses.map { status in
      let (calendar, until): (AccountCalendar?, Moment?) =
        switch status.state {
        case .granted(let calendar, let until), .endsWithToken(let calendar, let until): (calendar, until)
        case .refreshRefused(_, let until): (nil, until)
        default: (nil, nil)
        }
      let next = status.next
      return Row(
        name: status.id, service: status.account.facts.service, account: status.account.facts.account,
        state: status.key, reason: status.reason(Style()),
        next: Next(action: next.action, command: next.command, hint: next.hint), calendar: calendar, tokenUntil: until,
        signedInAt: status.signIn?.signedInAt, refreshedAt: status.signIn?.refreshedAt,
        signInEndsAt: status.forecast?.end, signInEndsBecause: status.forecast?.cause)
    }
  }
}

/// The JSON of `calendar list`; `schemas/calendarList.schema.json`.
package struct CalendarsDocument: Encodable {
  package let formatVersion = 1
  package let account: Identifier<Account>
  package let calendars: [Row]

  package struct Row: Encodable {
    package let id: String
    package let name: String
    package let isPrimary: Bool
    package let isWritable: Bool
    package let isUsed: Bool
  }

  package init(_ id: Identifier<Account>, _ calendars: [FoundCalendar], chosen: String?) {
    account = id
    self.calendars = calendars.map {
      Row(id: $0.id, name: $0.name, isPrimary: $0.isPrimary, isWritable: $0.isWritable, isUsed: $0.id == chosen)
    }
  }
}

/// The JSON of `calendar events`; `schemas/calendarEvents.schema.json`.
package struct EventsDocument: Encodable {
  package let formatVersion = 1
  package let account: Identifier<Account>
  package let calendar: Source
  package let from: Moment
  package let to: Moment
  package let events: [Event]
  package let unreadable: Int
  package let unreadableEvents: [Unreadable]
  /// Whether `events` is the complete list for the range and not only the changes; nil without `--changes`.
  package var isWhole: Bool?
  /// The ids of deleted events; nil without `--changes`.
  package var removed: [String]?

  package struct Source: Encodable {
    package let id: String
    package let name: String
  }

  package struct Event: Encodable {
    package let id: String
    package let title: String?
    package let location: String?
    package let isAllDay: Bool
    package let start: Time
    package let end: Time
    package let zone: String?
  }

  package struct Unreadable: Encodable {
    package let name: String?
    package let reason: String
  }

  /// One of three: a point in time, a day, or a wall-clock time in the event's zone.
  package struct Time: Encodable {
    package var utc: Moment?
    package var day: String?
    package var clock: String?
  }

  package init(_ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ changes: CalendarChanges) {
    self.init(id, calendar, range, changes.events, unreadable: changes.unreadable)
    (isWhole, removed) = (changes.isWhole, changes.removed.sorted())
  }

  package init(_ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ found: FoundEvents) {
    self.init(id, calendar, range, found.events, unreadable: found.unreadable)
  }

  private init(
    _ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ events: [CalendarEvent],
    unreadable: [UnreadableEvent]
  ) {
    account = id
    self.calendar = Source(id: calendar.id, name: calendar.name)
    (from, to) = (range.from, range.to)
    self.unreadable = unreadable.count
    unreadableEvents = unreadable.map { Unreadable(name: $0.name, reason: $0.reason) }
    self.events = events.map { event in
      let (start, end, zone): (Time, Time, String?) =
        switch event.span {
        case .timed(let from, let to, let zone): (Time(utc: from), Time(utc: to), zone)
        case .days(let from, let to): (Time(day: from), Time(day: to), nil)
        case .clock(let from, let to, let zone): (Time(clock: from), Time(clock: to), zone)
        }
      return Event(
        id: event.id, title: event.title, location: event.location, isAllDay: start.day != nil, start: start, end: end,
        zone: zone)
    }
  }
}
