import KeyplanCore
import KeyplanHTTP
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

  @Test("the server writes a series out, moved and cancelled occurrences too; UTC, zones and days come as they are")
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
    #expect(found.unreadable == [:])
    let all = Dictionary(grouping: found.events, by: \.event.uid)
    #expect(all.keys.sorted() == ["day", "series", "single"])
    // One o'clock in winter is an hour after UTC; the third of December is an exception.
    let eight = ICalClock(date: ICalDate(year: 2026, month: 11, day: 26), hour: 8, minute: 0, second: 0)
    #expect(all["series"]?.map(\.event.start) == [.utc(eight)])
    #expect(all["series"]?.map(\.zone) == ["Europe/Berlin"])
    #expect(all["series"]?.first?.resource == "/alice/team/series.ics")
    let single = try #require(all["single"]?.first)
    #expect(single.event.summary == "Stand, up")
    #expect(single.event.location == "Room 1")
    #expect(single.event.status == .tentative)
    #expect(single.zone == nil)
    #expect("\(single.event.start)" == "utc(2026-11-22T09:00:00)")
    #expect("\(all["day"]?.first?.event.start as Any)" == "Optional(KeyplanCalendars.ICalTime.date(2026-11-24))")
  }

  @Test("after the first time only a change has the events read again, and a mark that is not known all of them")
  func incremental() async throws {
    let calendar = try #require(try await client.calendars().calendars.first)
    func event(_ uid: String) -> String { "UID:\(uid)\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261122T090000Z" }
    try await radicale.put("a.ics", "BEGIN:VEVENT", event("a"), "END:VEVENT")
    let first = try await read(calendar)
    #expect(first.events.events.map(\.event.uid) == ["a"])
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
    #expect(second.events.events.map(\.event.uid) == ["b"])
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
}
