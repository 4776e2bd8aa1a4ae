import KeyplanCore
import KeyplanHTTP
import Testing

@testable import KeyplanCalendars

@Suite struct AccountStateTests {
  private let now = Moment(seconds: 1_800_000_000)
  private let main = FoundCalendar(id: "1", name: "Main", isPrimary: true, isWritable: true)

  @Test("an access token that is over is not tried, and nothing is said of the service")
  func unasked() async throws {
    let port = ScriptedPort(HTTPResponse(200, Vendor.google.page))
    let service = try Vendor.google.service(through: port)
    for (seconds, isRefreshable, state) in [
      (0, true, AccountState.expired), (-1, true, .expired), (0, false, .needsSignIn(.ended)),
    ] {
      let access = AccountAccess(until: now + Interval(seconds: Int64(seconds)), isRefreshable: isRefreshable)
      #expect(await service.state(of: access, selecting: nil, at: now) == state)
    }
    #expect(port.sent.isEmpty)
  }

  @Test("granted is said after the service has answered, and until when")
  func granted() async throws {
    let until = now + Interval(seconds: 1)
    let service = try Vendor.google.service(through: ScriptedPort(HTTPResponse(200, Vendor.google.page)))
    let state = await service.state(of: AccountAccess(until: until, isRefreshable: false), selecting: "A", at: now)
    let calendar = FoundCalendar(id: "a", name: "A", isPrimary: true, isWritable: false)
    #expect(state == .granted(calendar, until: until))
    #expect(state.nextAction == .nothing)
  }

  @Test("a person who left something out is asked again, although the service answers")
  func partly() {
    let access = AccountAccess(until: nil, isRefreshable: true, missing: ["calendar.events.readonly"])
    let state = AccountState(.chosen(main), access)
    #expect(state == .partlyGranted(missing: ["calendar.events.readonly"]))
    #expect(state.nextAction == .signIn)
  }

  @Test(
    "why a service gave nothing decides who can help; without an answer nothing is said against the sign-in",
    arguments: [
      (.tokenRefused, .refresh, .signIn), (.personNeeded, .signIn, .signIn), (.scopeMissing, .signIn, .signIn),
      (.interfaceOff, .configure, .configure), (.forbidden, .configure, .configure),
      (.notFound, .configure, .configure), (.refused, .configure, .configure),
      (.resyncNeeded, .configure, .configure), (.busy, .wait, .wait), (.notAnAnswer, .wait, .wait),
      (.endless, .wait, .wait), (.elsewhere, .wait, .wait),
    ] as [(CalendarError.Code, AccountState.NextAction, AccountState.NextAction)])
  func faults(code: CalendarError.Code, refreshable: AccountState.NextAction, other: AccountState.NextAction) {
    let error = CalendarError(code)
    #expect(AccountState(error, AccountAccess(until: nil, isRefreshable: true)).nextAction == refreshable)
    #expect(AccountState(error, AccountAccess(until: nil, isRefreshable: false)).nextAction == other)
  }

  @Test("a network that is down is unreachable, never a sign-in that is needed")
  func down() async throws {
    // Nobody listens at port 1.
    let service = try Vendor.graph.service(through: HTTPClient(), at: "http://127.0.0.1:1")
    let state = await service.state(of: AccountAccess(until: nil, isRefreshable: false), selecting: nil, at: now)
    guard case .unreachable(let error) = state, case .unreachable = error.code else {
      Issue.record("\(state)")
      return
    }
    #expect(state.nextAction == .wait)
    #expect("\(state)" == "127.0.0.1 could not be reached: the connection was refused")
  }

  @Test("each state has words that say what is the case")
  func words() {
    let states: [(AccountState, String)] = [
      (.granted(main, until: now), "the service answers; the calendar is Main, until 2027-01-15T08:00:00Z"),
      (.needsSignIn(.never), "nobody has signed in yet"),
      (.calendarNotFound("Teem", nearest: "Team"), "the account has no calendar Teem; did you mean Team?"),
      (.calendarAmbiguous("Team", ids: ["1", "2"]), "the account has 2 calendars named Team"),
      (.partlyGranted(missing: ["a", "b"]), "the sign-in does not cover a, b"),
      (
        .notAllowed(CalendarError(.interfaceOff, status: 403, said: "accessNotConfigured")),
        "the calendar interface is not switched on for this client (accessNotConfigured, HTTP 403)"
      ),
    ]
    for (state, words) in states { #expect("\(state)" == words) }
    #expect(AccountState.calendarAmbiguous("Team", ids: ["1", "2"]).hint == "name one of them by its id: 1, 2")
  }
}

@Suite struct CalendarChoiceTests {
  private let calendars = [("1", "Team"), ("2", "Team"), ("Home", "3"), ("3", "Home"), ("4", "Birthdays")].map {
    FoundCalendar(id: $0, name: $1, isPrimary: $0 == "4", isWritable: true)
  }

  @Test("the primary calendar is meant where none is named, and nothing is guessed where there is none")
  func primary() {
    #expect(CalendarChoice(nil, among: calendars) == .chosen(calendars[4]))
    #expect(CalendarChoice(nil, among: Array(calendars.prefix(2))) == .open(among: Array(calendars.prefix(2))))
    #expect(CalendarChoice(nil, among: []) == .open(among: []))
  }

  @Test("an id goes before a name; a name that several have is an error; a slip gets a suggestion")
  func named() {
    #expect(CalendarChoice("3", among: calendars) == .chosen(calendars[3]))
    #expect(CalendarChoice("Home", among: calendars) == .chosen(calendars[2]))
    #expect(CalendarChoice("Birthdays", among: calendars) == .chosen(calendars[4]))
    #expect(CalendarChoice("Team", among: calendars) == .ambiguous("Team", ids: ["1", "2"]))
    #expect(CalendarChoice("Birthdys", among: calendars) == .unknown("Birthdys", nearest: "Birthdays"))
    #expect(CalendarChoice("BIRTHDAYS", among: calendars) == .unknown("BIRTHDAYS", nearest: "Birthdays"))
    #expect(CalendarChoice("Work", among: calendars) == .unknown("Work", nearest: nil))
  }
}
