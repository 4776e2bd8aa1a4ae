import KeyplanModel

/// An entry in the list of events.
struct GoogleEventItem: GoogleItem {
  static var kind: String { "calendar#events" }
  let id: String
  let meaning: Meaning

  enum Meaning: Sendable {
    case event(CalendarEvent)
    /// Google sends only the id of a deleted event.
    case removed
    case unreadable(UnreadableEvent)
  }

  private enum Key: CodingKey { case id, status, summary, location, start, end }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    id = try fields.decode(String.self, forKey: .id)
    guard fields.text(.status) != "cancelled" else {
      meaning = .removed
      return
    }
    let title = fields.text(.summary)
    guard let start = fields.tolerant(.start, Time.self), let end = fields.tolerant(.end, Time.self),
      let span = EventSpan(start, end)
    else {
      meaning = .unreadable(.withoutTime(title ?? id))
      return
    }
    meaning = .event(CalendarEvent(id: id, title: title, location: fields.text(.location), span: span))
  }

  struct Time: Decodable {
    let dateTime: String?
    let date: String?
    let timeZone: String?

    private enum Key: CodingKey { case dateTime, date, timeZone }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Key.self)
      dateTime = fields.text(.dateTime)
      date = fields.text(.date)
      timeZone = fields.text(.timeZone)
    }
  }

  static func sorted(
    _ items: [GoogleEventItem?]
  ) -> (events: [CalendarEvent], removed: [String], unreadable: [UnreadableEvent]) {
    var (events, removed, unreadable) = ([CalendarEvent](), [String](), [UnreadableEvent]())
    for item in items {
      switch item?.meaning {
      case .event(let event): events.append(event)
      case .removed: removed.append(item?.id ?? "")
      case .unreadable(let event): unreadable.append(event)
      case nil: unreadable.append(.otherForm)
      }
    }
    return (events, removed, unreadable)
  }
}

extension EventSpan {
  fileprivate init?(_ start: GoogleEventItem.Time, _ end: GoogleEventItem.Time) {
    if let first = start.date.flatMap(writtenDay), let last = end.date.flatMap(writtenDay) {
      self = .days(from: first, to: last)
    } else if let from = start.dateTime.flatMap({ Moment(written: $0) }),
      let to = end.dateTime.flatMap({ Moment(written: $0) })
    {
      self = .timed(from: from, to: to, zone: start.timeZone)
    } else {
      return nil
    }
  }
}
