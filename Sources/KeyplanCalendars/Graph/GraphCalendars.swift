package import KeyplanHTTP
package import KeyplanModel
package import KeyplanSecrets

/// The calendars of Outlook and Microsoft 365, through Microsoft Graph.
package struct GraphCalendars: CalendarService {
  private let root: ServiceRoot
  private let client: ServiceClient
  private let owner: [String]
  private let person: AccountFacts?

  /// - Parameters:
  ///   - address: the API's root: `standardAddress` except in tests and national clouds.
  ///   - user: the owner of the calendars, for an app that authenticates itself; `nil` for the signed-in user.
  ///   - person: the account to which the calendars must belong; `nil` to accept any.
  ///   - token: an access token for `Calendars.Read`, or more.
  package init(
    at address: HTTPAddress, user: String? = nil, of person: AccountFacts? = nil, token: SecretBox,
    through port: any CalendarPort
  ) {
    root = ServiceRoot(address)
    self.person = person
    owner = user.map { ["users", $0] } ?? ["me"]
    client = ServiceClient(
      token: token, port: port, fault: { GraphFault.error(of: $0) }, pause: { GraphFault.pause(of: $0) })
  }

  package static func standardAddress() throws(HTTPError) -> HTTPAddress {
    try HTTPAddress("https://graph.microsoft.com/v1.0")
  }

  package func calendars() async throws(CalendarError) -> [FoundCalendar] {
    let first = try root.address(
      owner + ["calendars"], [("$top", "100"), ("$select", "id,name,canEdit,isDefaultCalendar,owner")])
    let found = try await pages(from: first, preferring: nil, GraphCalendarItem.self)
    // As with Google: an empty list is returned only if that is the response.
    guard found.items.isEmpty || found.items.contains(where: { $0 != nil }) else {
      throw CalendarError(.notAnAnswer, status: 200)
    }
    let items = found.items.compactMap(\.self)
    if let person { try await check(person, items.first(where: \.calendar.isPrimary)?.owner) }
    return items.map(\.calendar)
  }

  /// Verifies that the signed-in user is the declared account, by any name that Microsoft knows.
  private func check(_ person: AccountFacts, _ address: String?) async throws(CalendarError) {
    if let address, person.isNamed(address) { return }
    // The calendar's owner is a mail address, which may differ from the name used for signing in.
    let names = try await names() + [address].compactMap(\.self)
    guard let first = names.first, !names.contains(where: person.isNamed) else { return }
    throw CalendarError(.otherAccount, detail: first)
  }

  /// Empty if the sign-in does not allow reading them.
  private func names() async throws(CalendarError) -> [String] {
    do throws(CalendarError) {
      return try await client.get(try root.address(["me"], [("$select", GraphPerson.fields)]), as: GraphPerson.self)
        .names
    } catch {
      switch error.code {
      case .scopeMissing, .forbidden, .notFound, .refused: return []
      default: throw error
      }
    }
  }

  /// The events in a range, in chronological order.
  package func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents {
    let sorted = GraphEventItem.sorted(try await view(of: calendar, in: range))
    return FoundEvents(sorted.events, unreadable: sorted.unreadable)
  }

  /// The changes. Graph reports changes of the default calendar only; of others, all events are returned each time.
  package func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome {
    guard calendar.isPrimary else {
      let sorted = GraphEventItem.sorted(try await view(of: calendar, in: range))
      return .changed(
        CalendarChanges(
          events: sorted.events, removed: sorted.removed, isWhole: true, next: nil, unreadable: sorted.unreadable))
    }
    let first: HTTPAddress
    if let token {
      // A token is an address. One with another origin dates from before the account's service was changed, or is not
      // Graph's.
      guard let link = try? root.link(token.text) else { return .resyncNeeded }
      first = link
    } else {
      first = try root.address(owner + ["calendarView", "delta"], Self.bounds(range))
    }
    do throws(CalendarError) {
      // Here Graph returns complete events with HTML bodies: a small page size keeps responses below the limit.
      let found = try await pages(
        from: first, preferring: #"\#(Self.inUTC), outlook.body-content-type="text", odata.maxpagesize=25"#,
        GraphEventItem.self)
      let sorted = GraphEventItem.sorted(found.items)
      return .changed(
        CalendarChanges(
          events: sorted.events, removed: sorted.removed, isWhole: token == nil,
          next: found.delta.map { SyncToken($0) },
          unreadable: sorted.unreadable))
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
      let page = try await client.get(address, preferring: preference, as: GraphPage<Item>.self)
      items += page.items
      guard let next = page.nextLink else { return (items, page.deltaLink) }
      try walk.advance(to: next, holding: items.count)
      address = try root.link(next)
    }
  }
}
