package import KeyplanCore
package import KeyplanHTTP
package import KeyplanSecrets

/// The calendars of Outlook and Microsoft 365, by Microsoft Graph.
package struct GraphCalendars: CalendarService {
  private let root: ServiceRoot
  private let line: ServiceLine
  private let owner: [String]
  private let person: AccountFacts?

  /// - Parameters:
  ///   - address: where Graph's version lies; `standardAddress` but in tests and national clouds.
  ///   - user: whose calendars, for an app that asks in its own name; `nil` for the person who signed in.
  ///   - person: whose calendars they must be; `nil` for whoever's token it is.
  ///   - token: an access token for `Calendars.Read`, or more.
  package init(
    at address: HTTPAddress, user: String? = nil, of person: AccountFacts? = nil, token: SecretBox,
    through port: any CalendarPort
  ) {
    root = ServiceRoot(address)
    self.person = person
    owner = user.map { ["users", $0] } ?? ["me"]
    line = ServiceLine(
      token: token, port: port, fault: { GraphFault.error(of: $0) }, pause: { GraphFault.pause(of: $0) })
  }

  /// Where Microsoft has it.
  package static func standardAddress() throws(HTTPError) -> HTTPAddress {
    try HTTPAddress("https://graph.microsoft.com/v1.0")
  }

  /// All calendars of the account.
  package func calendars() async throws(CalendarError) -> [FoundCalendar] {
    let first = try root.address(
      owner + ["calendars"], [("$top", "100"), ("$select", "id,name,canEdit,isDefaultCalendar,owner")])
    let found = try await pages(from: first, preferring: nil, GraphCalendarItem.self)
    // As with Google: that there are none is said only where that is the answer.
    guard found.items.isEmpty || found.items.contains(where: { $0 != nil }) else {
      throw CalendarError(.notAnAnswer, status: 200)
    }
    let items = found.items.compactMap(\.self)
    if let person { try await check(person, items.first(where: \.calendar.isPrimary)?.owner) }
    return items.map(\.calendar)
  }

  /// Holds the person who has signed in to the account that is declared, by any name that Microsoft knows.
  private func check(_ person: AccountFacts, _ address: String?) async throws(CalendarError) {
    if let address, person.isNamed(address) { return }
    // The calendar's owner is an address for mail, which need not be the name that one signs in with.
    let names = try await names() + [address].compactMap(\.self)
    guard let first = names.first, !names.contains(where: person.isNamed) else { return }
    throw CalendarError(.otherAccount, said: first)
  }

  /// None where the sign-in does not cover them.
  private func names() async throws(CalendarError) -> [String] {
    do throws(CalendarError) {
      return try await line.get(try root.address(["me"], [("$select", GraphPerson.fields)]), as: GraphPerson.self).names
    } catch {
      switch error.code {
      case .scopeMissing, .forbidden, .notFound, .refused: return []
      default: throw error
      }
    }
  }

  /// What lies in a range, in order of time.
  package func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents {
    let told = GraphEventItem.told(try await view(of: calendar, in: range))
    return FoundEvents(told.events, unreadable: told.unreadable)
  }

  /// What has changed. Graph tells changes of an account's default calendar only; all of another one each time.
  package func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome {
    guard calendar.isPrimary else {
      let told = GraphEventItem.told(try await view(of: calendar, in: range))
      return .changed(
        CalendarChanges(
          events: told.events, removed: told.removed, isWhole: true, next: nil, unreadable: told.unreadable))
    }
    let first: HTTPAddress
    if let token {
      // It is an address; one of elsewhere is from before the account's service was changed, or not from Graph at all.
      guard let link = try? root.link(token.text) else { return .resyncNeeded }
      first = link
    } else {
      first = try root.address(owner + ["calendarView", "delta"], Self.bounds(range))
    }
    do throws(CalendarError) {
      // Microsoft gives whole events here, with bodies of pages of HTML: few at a time stay below the bound of an answer.
      let found = try await pages(
        from: first, preferring: #"\#(Self.inUTC), outlook.body-content-type="text", odata.maxpagesize=25"#,
        GraphEventItem.self)
      let told = GraphEventItem.told(found.items)
      return .changed(
        CalendarChanges(
          events: told.events, removed: told.removed, isWhole: token == nil, next: found.delta.map { SyncToken($0) },
          unreadable: told.unreadable))
    } catch {
      guard error.code == .resyncNeeded, token != nil else { throw error }
      return .resyncNeeded
    }
  }

  private static let inUTC = #"outlook.timezone="UTC""#

  private static func bounds(_ range: EventRange) -> [(String, String)] {
    [("startDateTime", "\(range.from)"), ("endDateTime", "\(range.to)")]
  }

  private func view(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> [GraphEventItem?] {
    let fields = "id,subject,location,start,end,isAllDay,originalStartTimeZone,type,seriesMasterId"
    let first = try root.address(
      owner + ["calendars", calendar.id, "calendarView"],
      Self.bounds(range) + [("$top", "500"), ("$orderby", "start/dateTime"), ("$select", fields)])
    return try await pages(from: first, preferring: Self.inUTC, GraphEventItem.self).items
  }

  private func pages<Item: Decodable & Sendable>(
    from first: HTTPAddress, preferring preference: String?, _ item: Item.Type
  ) async throws(CalendarError) -> (items: [Item?], delta: String?) {
    var items: [Item?] = []
    var walk = PageWalk()
    var address = first
    while true {
      let page = try await line.get(address, preferring: preference, as: GraphPage<Item>.self)
      items += page.items
      guard let next = page.nextLink else { return (items, page.deltaLink) }
      try walk.turn(to: next, holding: items.count)
      address = try root.link(next)
    }
  }
}
