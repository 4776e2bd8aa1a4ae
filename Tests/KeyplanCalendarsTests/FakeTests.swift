import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanCalendars

/// Against fakes of the services that are strict about what those document.
@Suite struct FakeTests {
  private func calendar(_ name: String?, of service: any CalendarService) async throws -> FoundCalendar {
    let calendars = try await service.calendars()
    return try #require(calendars.first { name == nil ? $0.isPrimary : $0.name == name })
  }

  private func at(_ text: String) throws -> Moment { try #require(Moment(text)) }

  @Test("all pages of calendars are read, without those that are removed")
  func calendars() async throws {
    let google = try await FakeServices.service(.google).calendars()
    #expect(google.count == 303)
    #expect(google.prefix(3).map(\.name) == ["ada@gmail.com", "Month", "Team"])
    #expect(google.prefix(3).map(\.isWritable) == [true, false, true])
    #expect(google.filter(\.isPrimary).map(\.id) == ["ada@gmail.com"])
    let graph = try await FakeServices.service(.graph).calendars()
    #expect(graph.count == 152)
    #expect(graph.filter(\.isPrimary).map(\.id) == ["AAMk/main=="])
    #expect(graph.filter(\.isWritable).map(\.name) == ["Calendar"])
  }

  @Test("an app that asks in its own name asks for somebody's calendars")
  func user() async throws {
    let root = try HTTPAddress("\(try #require(FakeServices.shared).root)/v1.0")
    let token = SecretBox(Array("good".utf8))
    let graph = GraphCalendars(at: root, user: "ada@contoso.com", token: token, through: HTTPClient())
    #expect(try await graph.calendars().count == 152)
  }

  @Test("Google's events come with their moments, their own zones, and whole days as days")
  func googleEvents() async throws {
    let service = try FakeServices.service(.google)
    let found = try await service.events(
      of: try await calendar("Team", of: service), in: try #require(EventRange.november()))
    #expect(
      found
        == FoundEvents([
          CalendarEvent(
            id: "e1", title: "Planning", location: "Room 1",
            span: .timed(
              from: try at("2026-11-02T08:00:00Z"), to: try at("2026-11-02T09:00:00Z"), zone: "Europe/Berlin")),
          CalendarEvent(id: "e2", title: "Offsite", location: nil, span: .days(from: "2026-11-03", to: "2026-11-05")),
          CalendarEvent(
            id: "e3", title: nil, location: nil,
            span: .timed(from: try at("2026-11-30T23:30:00Z"), to: try at("2026-12-01T00:30:00Z"), zone: nil)),
        ]))
  }

  private func graphEvents() throws -> [CalendarEvent] {
    let zone = "W. Europe Standard Time"
    return [
      CalendarEvent(
        id: "g1", title: "Planning", location: "Room 1",
        span: .timed(from: try at("2026-11-02T08:00:00Z"), to: try at("2026-11-02T09:00:00Z"), zone: zone)),
      CalendarEvent(id: "g2", title: "Offsite", location: nil, span: .days(from: "2026-11-03", to: "2026-11-05")),
      CalendarEvent(
        id: "g4", title: "Standup", location: nil,
        span: .timed(from: try at("2026-11-06T08:00:00Z"), to: try at("2026-11-06T08:15:00Z"), zone: zone)),
    ]
  }

  @Test("Graph's events come with their moments, their own zones, and whole days as days")
  func graphView() async throws {
    let service = try FakeServices.service(.graph)
    let found = try await service.events(
      of: try await calendar(nil, of: service), in: try #require(EventRange.november()))
    #expect(found == FoundEvents(try graphEvents()))
  }

  @Test("a month of a thousand events is read whole", arguments: Vendor.allCases)
  func month(vendor: Vendor) async throws {
    let service = try FakeServices.service(vendor)
    let found = try await service.events(
      of: try await calendar("Month", of: service), in: try #require(EventRange.november()))
    #expect(found.events.map(\.id) == (0..<1000).map { "m\($0)" })
    #expect(found.unreadable == [])
  }

  @Test("Google tells everything first, then what has changed, and wants to be asked anew for a token it forgot")
  func googleChanges() async throws {
    let service = try FakeServices.service(.google)
    let (team, range) = (try await calendar("Team", of: service), try #require(EventRange.november()))
    guard case .changed(let first) = try await service.changes(of: team, in: range, since: nil) else {
      Issue.record("no changes")
      return
    }
    #expect(first.isWhole)
    #expect(first.events.map(\.id) == ["e1", "e2", "e3"])
    guard case .changed(let second) = try await service.changes(of: team, in: range, since: first.next) else {
      Issue.record("no changes")
      return
    }
    #expect(!second.isWhole)
    #expect(second.events.map(\.title) == ["Offsite, shorter"])
    #expect(second.removed == ["e1"])
    #expect(second.next == SyncToken("sync-2"))
    #expect(try await service.changes(of: team, in: range, since: SyncToken("old")) == .resyncNeeded)
  }

  @Test("Graph tells everything first, then what has changed, and instances take after their series")
  func graphChanges() async throws {
    let service = try FakeServices.service(.graph)
    let (main, range) = (try await calendar(nil, of: service), try #require(EventRange.november()))
    guard case .changed(let first) = try await service.changes(of: main, in: range, since: nil) else {
      Issue.record("no changes")
      return
    }
    #expect(first.isWhole)
    #expect(first.events.map(\.title) == (try graphEvents().map(\.title)))
    #expect(first.events.map(\.id) == ["g1", "g2", "g4"])
    guard case .changed(let second) = try await service.changes(of: main, in: range, since: first.next) else {
      Issue.record("no changes")
      return
    }
    #expect(second.events.isEmpty && !second.isWhole)
    #expect(second.removed == ["g1", "of-another-month"])
    let root = try #require(FakeServices.shared).root
    for forgotten in [
      "\(root)/v1.0/me/calendarView/delta?$deltatoken=old",
      "\(root)/v1.0/me/calendarView/delta?$deltatoken=moved", "https://elsewhere.example/delta", "no address",
    ] {
      #expect(try await service.changes(of: main, in: range, since: SyncToken(forgotten)) == .resyncNeeded)
    }
  }

  @Test("of a calendar whose changes Graph does not tell, everything comes each time")
  func whole() async throws {
    let service = try FakeServices.service(.graph)
    let outcome = try await service.changes(
      of: try await calendar("Month", of: service), in: try #require(EventRange.november()), since: SyncToken("any"))
    guard case .changed(let changes) = outcome else {
      Issue.record("no changes")
      return
    }
    #expect(changes.isWhole && changes.next == nil && changes.events.count == 1000)
  }

  @Test("what a service says of a token is told apart", arguments: Vendor.allCases)
  func tokens(vendor: Vendor) async throws {
    func finding(_ token: String) async throws -> AccountFinding? {
      try await FakeServices.service(vendor, token: token).fault().map(AccountFinding.init)
    }
    #expect(try await finding("good") == nil)
    #expect(try await finding("revoked") == .refused)
    #expect(try await finding("narrow") == .scopeMissing)
  }

  @Test("a calendar that is gone is told apart from everything else", arguments: Vendor.allCases)
  func gone(vendor: Vendor) async throws {
    let service = try FakeServices.service(vendor)
    let gone = FoundCalendar(id: "gone", name: "Gone", isPrimary: false, isWritable: false)
    await #expect { try await service.events(of: gone, in: try #require(EventRange.november())) } throws: {
      ($0 as? CalendarError)?.code == .notFound
    }
  }
}
