import KeyplanCore

/// An entry in the list of events.
struct GoogleEventItem: GoogleItem {
  static var kind: String { "calendar#events" }
  let id: String
  /// `nil` for a deleted event, of which Google sends only the id.
  let event: CalendarEvent?

  private enum Key: CodingKey { case id, status, summary, location, start, end }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    id = try fields.decode(String.self, forKey: .id)
    guard fields.text(.status) != "cancelled" else {
      event = nil
      return
    }
    let start = try fields.decode(Time.self, forKey: .start)
    let end = try fields.decode(Time.self, forKey: .end)
    guard let span = EventSpan(start, end) else {
      throw DecodingError.dataCorruptedError(forKey: .start, in: fields, debugDescription: "Invalid time.")
    }
    event = CalendarEvent(id: id, title: fields.text(.summary), location: fields.text(.location), span: span)
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

  static func sorted(_ items: [GoogleEventItem?]) -> (events: [CalendarEvent], removed: [String], unreadable: Int) {
    var (events, removed, unreadable) = ([CalendarEvent](), [String](), 0)
    for item in items {
      switch (item, item?.event) {
      case (_, let event?): events.append(event)
      case (let item?, nil): removed.append(item.id)
      case (nil, nil): unreadable += 1
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
