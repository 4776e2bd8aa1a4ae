import KeyplanModel
import Testing

@testable import KeyplanReporting

@Suite struct EventsTextTests {
  private let calendar = FoundCalendar(id: "a", name: "Team", isPrimary: true, isWritable: true)
  private let unreadable = [
    UnreadableEvent(name: "Weekly\u{202E}review", reason: "RRULE has an invalid value"),
    UnreadableEvent(name: nil, reason: "it does not have the form of the service's events"),
  ]

  @Test("each event that is not shown is named with its reason, also if there is no other")
  func named() throws {
    let start = try #require(Moment("2026-11-01"))
    let range = try #require(EventRange(from: start, to: start + .days(30)))
    let events = [
      CalendarEvent(id: "1", title: "Fair", location: nil, span: .days(from: "2026-11-03", to: "2026-11-05"))
    ]
    let id = try #require(Identifier<Account>("home"))
    func text(_ events: [CalendarEvent]) -> String {
      EventsText.render(id, calendar, range, FoundEvents(events, unreadable: unreadable), style: Style())
    }
    #expect(
      text(events) == """
        calendar.home   Team   2026-11-01 to 2026-12-01, UTC

          2026-11-03 – 2026-11-04   Fair   all day

        Not shown, or not completely:
          Weekly\\u{202e}review   RRULE has an invalid value
          (no name)   it does not have the form of the service's events

        """)
    #expect(text([]).contains("No events.\n\nNot shown, or not completely:\n"))
    let document = try Document.text(EventsDocument(id, calendar, range, FoundEvents([], unreadable: unreadable)))
    #expect(document.contains(#""unreadable":2,"unreadableEvents":[{"name":"Weekly"#))
    #expect(document.contains(#"{"reason":"it does not have the form of the service's events"}]"#))
  }
}
