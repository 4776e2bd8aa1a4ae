import KeyplanModel

/// An entry in Graph's list of events.
struct GraphEventItem: Decodable, Sendable {
  /// The meaning of the entry.
  enum Meaning: Sendable {
    case event(CalendarEvent, series: String?)
    /// The shared properties of a series, which its instances do not repeat in a list of changes.
    case series(title: String?, location: String?)
    case removed
    case unreadable(UnreadableEvent)
  }

  let id: String
  let meaning: Meaning

  private enum Key: String, CodingKey {
    case id, subject, location, start, end, isAllDay, originalStartTimeZone, type, seriesMasterId
    case removed = "@removed"
  }
  private enum LocationKey: CodingKey { case displayName }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    id = try fields.decode(String.self, forKey: .id)
    guard !fields.contains(.removed) else {
      meaning = .removed
      return
    }
    let title = fields.text(.subject)
    let location = (try? fields.nestedContainer(keyedBy: LocationKey.self, forKey: .location))?.text(.displayName)
    guard fields.text(.type) != "seriesMaster" else {
      meaning = .series(title: title, location: location)
      return
    }
    let zone = fields.text(.originalStartTimeZone)
    let isAllDay = fields.tolerant(.isAllDay, Bool.self) ?? false
    guard let start = fields.tolerant(.start, Time.self), let end = fields.tolerant(.end, Time.self),
      let span = EventSpan(start, end, isAllDay: isAllDay, zone: zone)
    else {
      meaning = .unreadable(.withoutTime(title ?? id))
      return
    }
    meaning = .event(
      CalendarEvent(id: id, title: title, location: location, span: span), series: fields.text(.seriesMasterId))
  }

  struct Time: Decodable {
    let dateTime: String
    let timeZone: String?

    /// The moment if the zone is UTC, as requested. Other zones are not supported.
    var moment: Moment? {
      guard timeZone.map({ ["UTC", "Etc/UTC", "Etc/GMT"].contains($0) }) ?? true else { return nil }
      return Moment(written: dateTime, offset: "Z")
    }
  }

  static func sorted(
    _ items: [GraphEventItem?]
  ) -> (events: [CalendarEvent], removed: [String], unreadable: [UnreadableEvent]) {
    var shared: [String: (title: String?, location: String?)] = [:]
    for case let item? in items {
      if case .series(let title, let location) = item.meaning { shared[item.id] = (title, location) }
    }
    var (events, removed, unreadable) = ([CalendarEvent](), [String](), [UnreadableEvent]())
    for item in items {
      switch item?.meaning {
      case .event(let event, let series):
        let common = series.flatMap { shared[$0] }
        events.append(
          CalendarEvent(
            id: event.id, title: event.title ?? common?.title, location: event.location ?? common?.location,
            span: event.span))
      case .removed: removed.append(item?.id ?? "")
      case .series: break
      case .unreadable(let event): unreadable.append(event)
      case nil: unreadable.append(.otherForm)
      }
    }
    return (events, removed, unreadable)
  }
}

extension EventSpan {
  fileprivate init?(_ start: GraphEventItem.Time, _ end: GraphEventItem.Time, isAllDay: Bool, zone: String?) {
    guard let from = start.moment, let to = end.moment else { return nil }
    guard isAllDay else {
      self = .timed(from: from, to: to, zone: zone)
      return
    }
    // Always midnight; if it were shifted by a conversion to UTC, the nearest midnight is the intended one.
    let half = Interval(seconds: 43_200)
    self = .days(from: (from + half).date, to: (to + half).date)
  }
}
