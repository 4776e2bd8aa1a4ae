import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanCalendars

@Suite(.enabled(if: Radicale.isHere, "run make setup-test: Radicale in KEYPLAN_TEST_PYTHON"))
struct RadicaleTests {
  private let radicale: Radicale
  private let client: CalDAVClient
  private let november = DAVRange(
    start: Moment("2026-11-20T00:00:00Z") ?? Moment(seconds: 0),
    end: Moment("2026-12-05T00:00:00Z") ?? Moment(seconds: 0))

  init() async throws {
    radicale = try await Radicale()
    client = try CalDAVClient(radicale.address)
  }

  private func read(
    _ calendar: DAVCalendar, since mark: DAVMark? = nil
  ) async throws -> (events: DAVEvents, mark: DAVMark, restarted: Bool) {
    guard
      case .read(let events, let mark?, let restarted) = try await client.events(
        of: calendar, in: november, since: mark)
    else { throw DAVError(.notCalDAV, at: calendar.address) }
    return (events, mark, restarted)
  }

  @Test("calendars are found from the host alone, from the root and from the person; those of tasks are left out")
  func calendars() async throws {
    for path in ["", "/", "/alice/"] {
      let found = try await CalDAVClient(radicale.address + path).calendars()
      #expect(found.calendars.map(\.name) == ["Work & <play>"])
      #expect(found.calendars.first?.address.text == "\(radicale.address)/alice/team/")
      #expect(found.elsewhere == [])
    }
  }

  @Test("a wrong password, another's calendar and a missing one are told apart, and no error holds the password")
  func refusals() async throws {
    let calendar = try DAVCalendar("\(radicale.address)/alice/team/")
    let wrong = try CalDAVClient(radicale.address, password: "canary-wrong")
    let bob = try CalDAVClient(radicale.address, user: "bob", password: "bobpw")
    func code(_ body: () async throws(DAVError) -> some Any) async -> DAVError.Code? {
      do throws(DAVError) {
        _ = try await body()
        return nil
      } catch {
        let shown = "\(error) \(error.hint ?? "") \(String(reflecting: error))"
        #expect(!shown.contains("canary") && !shown.contains("bobpw"))
        return error.code
      }
    }
    #expect(await code { () throws(DAVError) in try await wrong.calendars() } == .credentialsRefused)
    #expect(
      await code { () throws(DAVError) in try await wrong.events(of: calendar, in: november) } == .credentialsRefused)
    #expect(await code { () throws(DAVError) in try await bob.events(of: calendar, in: november) } == .forbidden)
    let missing = try DAVCalendar("\(radicale.address)/alice/none/")
    #expect(await code { () throws(DAVError) in try await client.events(of: missing, in: november) } == .notFound)
    var dump = ""
    Swift.dump(client, to: &dump)
    #expect(!dump.contains("canary"))
  }

  @Test("series are written out, without what was left out; zones count, and days stay days")
  func occurrences() async throws {
    try await radicale.put(
      "series.ics", "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "BEGIN:STANDARD", "DTSTART:19961027T030000",
      "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD",
      "BEGIN:DAYLIGHT", "DTSTART:19810329T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200",
      "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "END:DAYLIGHT", "END:VTIMEZONE", "BEGIN:VEVENT", "UID:series",
      "DTSTAMP:20261101T000000Z", "DTSTART;TZID=Europe/Berlin:20261001T090000",
      "DTEND;TZID=Europe/Berlin:20261001T093000", "RRULE:FREQ=WEEKLY", "EXDATE;TZID=Europe/Berlin:20261203T090000",
      "SUMMARY:Weekly", "END:VEVENT")
    try await radicale.put(
      "single.ics", "BEGIN:VEVENT", "UID:single", "DTSTAMP:20261101T000000Z", "DTSTART:20261122T090000Z",
      "DURATION:PT45M", #"SUMMARY:Stand\, up"#, "LOCATION:Room 1", "STATUS:TENTATIVE", "END:VEVENT")
    try await radicale.put(
      "day.ics", "BEGIN:VEVENT", "UID:day", "DTSTAMP:20261101T000000Z", "DTSTART;VALUE=DATE:20261124",
      "DTEND;VALUE=DATE:20261126", "SUMMARY:Fair", "END:VEVENT")
    try await radicale.put(
      "later.ics", "BEGIN:VEVENT", "UID:later", "DTSTAMP:20261101T000000Z", "DTSTART:20270122T090000Z",
      "DTEND:20270122T100000Z", "SUMMARY:Later", "END:VEVENT")
    let calendar = try #require(try await client.calendars().calendars.first)
    let found = try await read(calendar).events
    #expect(found.unread == [])
    let all = Dictionary(grouping: found.events, by: \.occurrence.event.uid)
    #expect(all.keys.sorted() == ["day", "series", "single"])
    // Nine o'clock in winter is eight in UTC; the third of December is an exception.
    let eight = try #require(Moment("2026-11-26T08:00:00Z"))
    #expect(
      all["series"]?.map(\.occurrence.span) == [
        .timed(from: eight, to: eight + Interval(seconds: 1800), zone: "Europe/Berlin")
      ])
    #expect(all["series"]?.first?.resource == "/alice/team/series.ics")
    #expect(all["series"]?.first?.occurrence.original == "2026-11-26T08:00:00Z")
    let single = try #require(all["single"]?.first)
    #expect(single.occurrence.event.summary == "Stand, up")
    #expect(single.occurrence.event.location == "Room 1")
    #expect(single.occurrence.event.status == .tentative)
    let nine = try #require(Moment("2026-11-22T09:00:00Z"))
    #expect(single.occurrence.span == .timed(from: nine, to: nine + Interval(seconds: 2700), zone: nil))
    #expect(all["day"]?.map(\.occurrence.span) == [.days(from: "2026-11-24", to: "2026-11-26")])
  }

  @Test("an invitation to one occurrence, a flight and a series with changes are shown")
  func awkward() async throws {
    try await radicale.put(
      "invited.ics", "BEGIN:VEVENT", "UID:invited", "DTSTAMP:20261101T000000Z", "RECURRENCE-ID:20261124T090000Z",
      "DTSTART:20261124T100000Z", "DTEND:20261124T110000Z", "SUMMARY:Invited", "END:VEVENT")
    try await radicale.put(
      "flight.ics", "BEGIN:VEVENT", "UID:flight", "DTSTAMP:20261101T000000Z",
      "DTSTART;TZID=Europe/Berlin:20261125T100000",
      "DTEND;TZID=America/New_York:20261125T130000", "SUMMARY:Flight", "END:VEVENT")
    try await radicale.put(
      "changed.ics", "BEGIN:VEVENT", "UID:changed", "DTSTAMP:20261101T000000Z", "DTSTART:20261101T080000Z",
      "RRULE:FREQ=WEEKLY", "SUMMARY:Weekly", "END:VEVENT", "BEGIN:VEVENT", "UID:changed", "DTSTAMP:20261101T000000Z",
      "RECURRENCE-ID:20261122T080000Z", "DTSTART:20270122T080000Z", "SUMMARY:Away", "END:VEVENT")
    let calendar = try #require(try await client.calendars().calendars.first)
    let found = FoundEvents(try await read(calendar).events)
    #expect(
      found.events.map { "\($0.title ?? "") \($0.span.written.start) \($0.span.written.end)" } == [
        "Invited 2026-11-24T10:00:00Z 2026-11-24T11:00:00Z", "Flight 2026-11-25T09:00:00Z 2026-11-25T18:00:00Z",
        "Weekly 2026-11-29T08:00:00Z 2026-11-29T08:00:00Z",
      ])
    #expect(found.unreadable == [])
  }

  @Test("after the first time only a change has the events read again, and a mark that is not known all of them")
  func incremental() async throws {
    let calendar = try #require(try await client.calendars().calendars.first)
    func event(_ uid: String) -> String { "UID:\(uid)\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261122T090000Z" }
    try await radicale.put("a.ics", "BEGIN:VEVENT", event("a"), "END:VEVENT")
    let first = try await read(calendar)
    #expect(first.events.events.map(\.occurrence.event.uid) == ["a"])
    guard case .token(let token) = first.mark else {
      Issue.record("no token")
      return
    }
    #expect(try await client.events(of: calendar, in: november, since: first.mark) == .unchanged(first.mark))

    try await radicale.put("b.ics", "BEGIN:VEVENT", event("b"), "END:VEVENT")
    try await radicale.put("a.ics")
    let changes = try await client.changes(in: calendar, since: token)
    #expect(changes?.changed == ["/alice/team/b.ics"])
    #expect(changes?.removed == ["/alice/team/a.ics"])
    let second = try await read(calendar, since: first.mark)
    #expect(second.events.events.map(\.occurrence.event.uid) == ["b"])
    #expect(second.mark != first.mark)
    #expect(!second.restarted)

    let unknown = "http://radicale.org/ns/sync/" + String(repeating: "0", count: 64)
    for token in [unknown, "<&>"] {
      #expect(try await client.changes(in: calendar, since: token) == nil)
      let third = try await read(calendar, since: .token(token))
      #expect(third.events == second.events)
      #expect(third.restarted)
    }
  }

  @Test("is asked as any other service is: calendars, events in order of time, and changes")
  func service() async throws {
    let calendars = CalDAVCalendars(
      at: try HTTPAddress(radicale.address), user: "alice", password: SecretBox(Array(CalDAVClient.password.utf8)))
    let range = try #require(EventRange(from: november.start, to: november.end))
    try await radicale.put(
      "zoned.ics", "BEGIN:VEVENT", "UID:zoned", "DTSTAMP:20261101T000000Z",
      "DTSTART;TZID=Europe/Berlin:20261125T090000",
      "DTEND;TZID=Europe/Berlin:20261125T100000", "SUMMARY:Zoned", "END:VEVENT")
    try await radicale.put(
      "daily.ics", "BEGIN:VEVENT", "UID:daily", "DTSTAMP:20261101T000000Z", "DTSTART:20261121T070000Z",
      "DURATION:PT15M", "RRULE:FREQ=DAILY;COUNT=2", "SUMMARY:Daily", "END:VEVENT")
    try await radicale.put(
      "day.ics", "BEGIN:VEVENT", "UID:day", "DTSTAMP:20261101T000000Z", "DTSTART;VALUE=DATE:20261124", "SUMMARY:Fair",
      "END:VEVENT")
    try await radicale.put(
      "off.ics", "BEGIN:VEVENT", "UID:off", "DTSTAMP:20261101T000000Z", "DTSTART:20261122T090000Z", "STATUS:CANCELLED",
      "END:VEVENT")
    let found = try await calendars.calendars()
    #expect(found == [FoundCalendar(id: "/alice/team", name: "Work & <play>", isPrimary: true, isWritable: true)])
    // By its id alone, too, as it is recorded.
    let calendar = FoundCalendar(id: "/alice/team", name: "old", isPrimary: false, isWritable: false)
    let other = CalDAVCalendars(
      at: try HTTPAddress(radicale.address), user: "alice", password: SecretBox(Array(CalDAVClient.password.utf8)))
    let events = try await other.events(of: calendar, in: range)
    func at(_ text: String) throws -> Moment { try #require(Moment(text)) }
    #expect(events.unreadable == [])
    #expect(events.events.map(\.title) == ["Daily", "Daily", "Fair", "Zoned"])
    #expect(
      events.events.map(\.span) == [
        .timed(from: try at("2026-11-21T07:00:00Z"), to: try at("2026-11-21T07:15:00Z"), zone: nil),
        .timed(from: try at("2026-11-22T07:00:00Z"), to: try at("2026-11-22T07:15:00Z"), zone: nil),
        .days(from: "2026-11-24", to: "2026-11-25"),
        // Without a definition, the zone is this machine's.
        .timed(from: try at("2026-11-25T08:00:00Z"), to: try at("2026-11-25T09:00:00Z"), zone: "Europe/Berlin"),
      ])
    #expect(Set(events.events.map(\.id)).count == 4)

    guard case .changed(let first) = try await calendars.changes(of: calendar, in: range, since: nil) else {
      Issue.record("no changes")
      return
    }
    #expect(first.isWhole && first.events == events.events)
    guard case .changed(let second) = try await calendars.changes(of: calendar, in: range, since: first.next) else {
      Issue.record("no changes")
      return
    }
    #expect(!second.isWhole && second.events.isEmpty && second.next == first.next)
    try await radicale.put("daily.ics")
    guard case .changed(let third) = try await calendars.changes(of: calendar, in: range, since: second.next) else {
      Issue.record("no changes")
      return
    }
    #expect(third.isWhole && third.events.map(\.title) == ["Fair", "Zoned"])

    let gone = FoundCalendar(id: "/alice/none", name: "", isPrimary: false, isWritable: false)
    let error = await #expect(throws: CalendarError.self) { try await calendars.events(of: gone, in: range) }
    #expect(error?.code == .notFound)
  }
}
