package import KeyplanCore
package import KeyplanHTTP
package import KeyplanSecrets

/// Google Calendar, by its interface of version 3.
package struct GoogleCalendars: CalendarService {
  private let root: ServiceRoot
  private let line: ServiceLine
  private let person: AccountFacts?

  /// - Parameters:
  ///   - address: where the interface lies; `standardAddress` but in tests.
  ///   - person: whose calendars they must be; `nil` for whoever's token it is.
  ///   - token: an access token for `calendar.calendarlist.readonly` and `calendar.events.readonly`, or more.
  package init(
    at address: HTTPAddress, of person: AccountFacts? = nil, token: SecretBox, through port: any CalendarPort
  ) {
    root = ServiceRoot(address)
    self.person = person
    line = ServiceLine(
      token: token, port: port, fault: { GoogleFault.error(of: $0) }, pause: { GoogleFault.pause(of: $0) })
  }

  /// Where Google has it.
  package static func standardAddress() throws(HTTPError) -> HTTPAddress {
    try HTTPAddress("https://www.googleapis.com/calendar/v3")
  }

  /// All calendars of the account, also those that are hidden in Google's own pages.
  package func calendars() async throws(CalendarError) -> [FoundCalendar] {
    let query = [
      ("maxResults", "250"), ("showHidden", "true"),
      ("fields", "kind,nextPageToken,items(id,summary,summaryOverride,primary,accessRole,deleted)"),
    ]
    let found = try await pages(["users", "me", "calendarList"], query, GoogleCalendarItem.self)
    // Some that cannot be read are left out; if none can, this is not Google, and saying that there are none would be false.
    guard found.items.isEmpty || found.items.contains(where: { $0 != nil }) else {
      throw CalendarError(.notAnAnswer, status: 200)
    }
    let calendars = found.items.compactMap { $0?.calendar }
    // The calendar that Google makes for an account has the account's address as its id.
    if let person, let own = calendars.first(where: \.isPrimary)?.id, own.contains("@"), !person.isNamed(own) {
      throw CalendarError(.otherAccount, said: own)
    }
    return calendars
  }

  /// What lies in a range, in order of time.
  package func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents {
    let query = Self.expanded + Self.bounds(range) + [("orderBy", "startTime")]
    let found = try await pages(["calendars", calendar.id, "events"], query, GoogleEventItem.self)
    let told = GoogleEventItem.told(found.items)
    return FoundEvents(told.events, unreadable: told.unreadable)
  }

  /// What has changed. Google refuses the range and the order beside a token, which has them in it, and gives no token
  /// where an order was asked for.
  package func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome {
    let query = Self.expanded + (token.map { [("syncToken", $0.text)] } ?? Self.bounds(range))
    do throws(CalendarError) {
      let found = try await pages(["calendars", calendar.id, "events"], query, GoogleEventItem.self)
      let told = GoogleEventItem.told(found.items)
      return .changed(
        CalendarChanges(
          events: told.events, removed: told.removed, isWhole: token == nil, next: found.sync.map { SyncToken($0) },
          unreadable: told.unreadable))
    } catch {
      guard error.code == .resyncNeeded, token != nil else { throw error }
      return .resyncNeeded
    }
  }

  private static let expanded = [
    ("singleEvents", "true"), ("maxResults", "500"),
    ("fields", "kind,nextPageToken,nextSyncToken,items(id,status,summary,location,start,end)"),
  ]

  private static func bounds(_ range: EventRange) -> [(String, String)] {
    [("timeMin", "\(range.from)"), ("timeMax", "\(range.to)")]
  }

  private func pages<Item: GoogleItem>(
    _ path: [String], _ query: [(String, String)], _ item: Item.Type
  ) async throws(CalendarError) -> (items: [Item?], sync: String?) {
    var items: [Item?] = []
    var walk = PageWalk()
    var next: String?
    while true {
      let address = try root.address(path, query + (next.map { [("pageToken", $0)] } ?? []))
      let page = try await line.get(address, as: GooglePage<Item>.self)
      items += page.items
      guard let token = page.nextPageToken else { return (items, page.nextSyncToken) }
      try walk.turn(to: token, holding: items.count)
      next = token
    }
  }
}
