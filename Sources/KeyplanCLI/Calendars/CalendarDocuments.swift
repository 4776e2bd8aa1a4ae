internal import KeyplanCalendars
internal import KeyplanCore

/// What `calendar status` tells programs; `schemas/calendarStatus.schema.json`.
struct AccountStatusDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let store: StoreFields?
  let accounts: [Row]

  struct Row: Encodable {
    let name: Identifier<Account>
    let service: AccountFacts.Service
    let account: String
    let state: String
    let reason: String
    let next: Next
    let calendar: AccountCalendar?
    let tokenUntil: Moment?
    let signedInAt: Moment?
    let refreshedAt: Moment?
    let signInEndsAt: Moment?
    let signInEndsBecause: AccountForecast.Cause?
  }

  struct Next: Encodable {
    let action: String
    let command: String?
    let hint: String?
  }

  init(_ statuses: [AccountStatus], _ surroundings: Surroundings) {
    environment = surroundings.place.environment
    store = surroundings.recorded.store.map(StoreFields.init)
    accounts = statuses.map { status in
      let (calendar, until): (AccountCalendar?, Moment?) =
        if case .granted(let calendar, let until) = status.state { (calendar, until) } else { (nil, nil) }
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

/// What `calendar list` tells programs; `schemas/calendarList.schema.json`.
struct CalendarsDocument: Encodable {
  let formatVersion = 1
  let account: Identifier<Account>
  let calendars: [Row]

  struct Row: Encodable {
    let id: String
    let name: String
    let isPrimary: Bool
    let isWritable: Bool
    let isUsed: Bool
  }

  init(_ id: Identifier<Account>, _ calendars: [FoundCalendar], chosen: String?) {
    account = id
    self.calendars = calendars.map {
      Row(id: $0.id, name: $0.name, isPrimary: $0.isPrimary, isWritable: $0.isWritable, isUsed: $0.id == chosen)
    }
  }
}

/// What `calendar events` tells programs; `schemas/calendarEvents.schema.json`.
struct EventsDocument: Encodable {
  let formatVersion = 1
  let account: Identifier<Account>
  let calendar: Source
  let from: Moment
  let to: Moment
  let events: [Event]
  let unreadable: Int
  /// Whether `events` is the complete list for the range and not only the changes; nil without `--changes`.
  var isWhole: Bool?
  /// The ids of deleted events; nil without `--changes`.
  var removed: [String]?

  struct Source: Encodable {
    let id: String
    let name: String
  }

  struct Event: Encodable {
    let id: String
    let title: String?
    let location: String?
    let isAllDay: Bool
    let start: Time
    let end: Time
    let zone: String?
  }

  /// One of three: a moment, a day, or what a clock shows in the event's zone.
  struct Time: Encodable {
    var utc: Moment?
    var day: String?
    var clock: String?
  }

  init(_ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ changes: Changes) {
    self.init(id, calendar, range, changes.events, unreadable: changes.unreadable)
    (isWhole, removed) = (changes.isWhole, changes.removed.sorted())
  }

  init(_ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ found: FoundEvents) {
    self.init(id, calendar, range, found.events, unreadable: found.unreadable)
  }

  private init(
    _ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ events: [CalendarEvent],
    unreadable: Int
  ) {
    account = id
    self.calendar = Source(id: calendar.id, name: calendar.name)
    (from, to) = (range.from, range.to)
    self.unreadable = unreadable
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
