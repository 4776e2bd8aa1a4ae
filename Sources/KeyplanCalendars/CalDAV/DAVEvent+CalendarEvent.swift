import KeyplanCore

extension FoundEvents {
  /// In chronological order, without cancelled events.
  init(_ found: DAVEvents) {
    var events: [CalendarEvent] = []
    var unreadable = found.unreadable.count
    for event in found.events where event.event.status != .cancelled {
      if let converted = CalendarEvent(event) { events.append(converted) } else { unreadable += 1 }
    }
    self.init(events.sorted { ($0.span.order, $0.id) < ($1.span.order, $1.id) }, unreadable: unreadable)
  }
}

extension CalendarEvent {
  /// `nil` if start and end are of different kinds, so that the duration is undefined.
  fileprivate init?(_ event: DAVEvent) {
    guard let span = EventSpan(event.event, zone: event.zone) else { return nil }
    // All occurrences have the same resource.
    let id = event.resource + (event.event.occurrence.map { "#\($0.text)" } ?? "")
    self.init(id: id, title: event.event.summary, location: event.event.location, span: span)
  }
}

extension EventSpan {
  fileprivate init?(_ event: ICalEvent, zone: String?) {
    guard let start = Moment(written: event.start) else { return nil }
    let end: Moment
    switch (event.end, event.start) {
    case (.at(let time), .date):
      guard case .date = time, let moment = Moment(written: time) else { return nil }
      end = moment
    case (.at(let time), _):
      guard time.zone == event.start.zone, let moment = Moment(written: time) else { return nil }
      end = moment
    case (.after(let duration), _):
      end = start + Interval(seconds: Int64(duration.days) * 86400 + Int64(duration.seconds))
    case (.none, .date): end = start + .days(1)
    case (.none, _): end = start
    }
    switch event.start {
    case .date: self = .days(from: start.date, to: end.date)
    case .utc: self = .timed(from: start, to: end, zone: zone)
    case .zoned(_, let zone): self = .clock(from: start.onClock, to: end.onClock, zone: zone)
    case .floating: self = .clock(from: start.onClock, to: end.onClock, zone: nil)
    }
  }
}

extension Moment {
  /// Treats local times as UTC, for comparison with others in the same zone.
  fileprivate init?(written time: ICalTime) {
    switch time {
    case .date(let date): self.init("\(date)")
    case .utc(let clock), .zoned(let clock, _), .floating(let clock): self.init("\(clock)Z")
    }
  }

  /// The text without the `Z`.
  fileprivate var onClock: String { String(description.dropLast()) }
}

extension ICalTime {
  /// The kind of the time; times of different kinds cannot be compared.
  fileprivate var zone: String {
    switch self {
    case .date: "date"
    case .utc: "UTC"
    case .zoned(_, let zone): "zone \(zone)"
    case .floating: "floating"
    }
  }

  fileprivate var text: String {
    switch self {
    case .date(let date): "\(date)"
    case .utc(let clock): "\(clock)Z"
    case .zoned(let clock, _), .floating(let clock): "\(clock)"
    }
  }
}
