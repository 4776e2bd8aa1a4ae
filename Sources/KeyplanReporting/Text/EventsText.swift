package import KeyplanModel

/// An account's calendars, for people.
package enum CalendarsText {
  package static func render(
    _ id: Identifier<Account>, _ calendars: [FoundCalendar], chosen: String?, style: Style
  ) -> String {
    var page = Page(style: style)
    if calendars.isEmpty {
      page.prose("calendar.\(id) has no calendars.", indent: 0)
      page.end()
    }
    let rows = Rows(calendars.lazy.map { ($0.name, $0.id) }, width: page.width)
    for calendar in calendars {
      let isUsed = calendar.id == chosen
      let notes = [calendar.isPrimary ? "the account's own" : nil, calendar.isWritable ? nil : "read only"]
      rows.set(
        style.text(isUsed ? .active : .inactive), isUsed ? .add : .faint, calendar.name, calendar.id,
        notes.compactMap { $0.map { .apart($0, .faint) } }, on: &page)
    }
    return page.text
  }
}

/// Events, for people.
package enum EventsText {
  package static func render(
    _ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ found: FoundEvents, style: Style
  ) -> String {
    render(
      id, calendar, range, found.events, unreadable: found.unreadable,
      summary: found.events.isEmpty ? "No events." : nil, style: style)
  }

  /// With `--changes`.
  package static func render(
    _ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ found: CalendarChanges, style: Style
  ) -> String {
    render(
      id, calendar, range, found.events, unreadable: found.unreadable, summary: summary(of: found), style: style)
  }

  private static func render(
    _ id: Identifier<Account>, _ calendar: FoundCalendar, _ range: EventRange, _ events: [CalendarEvent],
    unreadable: [UnreadableEvent], summary: String?, style: Style
  ) -> String {
    var page = Page(style: style, reserving: 256 + 128 * events.count)
    page.put("calendar.\(id)", .strong)
    page.flow([.apart(calendar.name), .apart(written(range, style), .faint)], indent: 2)
    page.end()
    page.end()
    if let summary {
      page.move(to: 2)
      page.prose(summary, indent: 2)
      page.end()
      if !events.isEmpty { page.end() }
    }
    put(events, on: &page)
    put(unreadable, on: &page)
    return page.text
  }

  private static func put(_ unreadable: [UnreadableEvent], on page: inout Page) {
    guard !unreadable.isEmpty else { return }
    page.end()
    page.prose("Not shown, or not completely:", indent: 0, .warning)
    page.end()
    for event in unreadable {
      page.move(to: 2)
      page.flow(Run.words(event.name ?? "(no name)") + [.apart(event.reason, .faint)], indent: 2)
      page.end()
    }
  }

  /// Days begin at midnight UTC.
  private static func written(_ range: EventRange, _ style: Style) -> String {
    let areDays = [range.from, range.to].allSatisfy { $0.seconds % 86400 == 0 }
    return areDays
      ? "\(range.from.date) to \(range.to.date), UTC" : "\(style.time(range.from)) to \(style.time(range.to))"
  }

  private static func put(_ events: [CalendarEvent], on page: inout Page) {
    let cells = events.map { ($0, $0.span.written(page.style)) }
    let width = cells.reduce(0) { max($0, Glyphs.columns(of: $1.1)) }
    for (event, time) in cells {
      page.move(to: 2)
      page.put(time)
      page.move(to: 2 + width + 3)
      var runs = Run.words(event.title ?? "(no title)")
      let notes = [event.location, event.span.zone].compactMap(\.self)
      runs += notes.map { .apart($0, .faint) }
      page.flow(runs, indent: 2 + width + 3)
      page.end()
    }
  }

  private static func summary(of found: CalendarChanges) -> String {
    let events = found.events.count == 1 ? "1 event" : "\(found.events.count) events"
    let again = found.next == nil ? " This service tells no changes: everything comes each time." : ""
    if found.isWhole { return "Everything: \(events)." + again }
    guard !found.events.isEmpty || !found.removed.isEmpty else { return "No changes." }
    return "New or changed: \(events). Removed: \(found.removed.count)."
  }
}

extension EventSpan {
  /// Such as `2026-11-21 09:00–10:30Z`; with an asterisk if it is the wall-clock time of the event's own zone.
  fileprivate func written(_ style: Style) -> String {
    switch self {
    case .timed(let from, let to, _): style.span(from: from, to: to)
    case .clock(let from, let to, _): Self.written(Self.minute(from), Self.minute(to)) + "*"
    case .days(let from, let to):
      Moment(to).map { ($0 - .days(1)).date }.map { $0 == from ? from : "\(from) – \($0)" } ?? from
    }
  }

  fileprivate var zone: String? {
    switch self {
    case .timed(_, _, let zone): zone
    case .clock(_, _, let zone): "*in \(zone ?? "any zone")"
    case .days: "all day"
    }
  }

  private static func minute(_ clock: String) -> String {
    String(clock.prefix(16)).replacing("T", with: " ")
  }

  private static func written(_ from: String, _ to: String) -> String {
    from.prefix(10) == to.prefix(10) ? "\(from)–\(to.dropFirst(11))" : "\(from) – \(to)"
  }
}
