package import KeyplanHTTP
package import KeyplanModel
package import KeyplanSecrets

/// Google Calendar, API version 3.
package struct GoogleCalendars: CalendarService {
  private let root: ServiceRoot
  private let client: ServiceClient
  private let person: AccountFacts?

  /// - Parameters:
  ///   - address: the API's root: `standardAddress` except in tests.
  ///   - person: the account to which the calendars must belong; `nil` to accept any.
  ///   - token: an access token for `calendar.calendarlist.readonly` and `calendar.events.readonly`, or more.
  package init(
    at address: HTTPAddress, of person: AccountFacts? = nil, token: SecretBox, through port: any CalendarPort
  ) {
    root = ServiceRoot(address)
    self.person = person
    client = ServiceClient(
      token: token, port: port, fault: { GoogleFault.error(of: $0) }, pause: { GoogleFault.pause(of: $0) })
  }

  package static func standardAddress() throws(HTTPError) -> HTTPAddress {
    try HTTPAddress("https://www.googleapis.com/calendar/v3")
  }

  /// All calendars of the account, including those that are hidden in Google's user interface.
  package func calendars() async throws(CalendarError) -> [FoundCalendar] {
    let query = [
      ("maxResults", "250"), ("showHidden", "true"),
      ("fields", "kind,nextPageToken,items(id,summary,summaryOverride,primary,accessRole,deleted)"),
    ]
    let found = try await pages(["users", "me", "calendarList"], query, GoogleCalendarItem.self)
    // Unreadable entries are skipped; but if all are unreadable, the response is not Google's, and an empty list would
    // be wrong.
    guard found.items.isEmpty || found.items.contains(where: { $0 != nil }) else {
      throw CalendarError(.notAnAnswer, status: 200)
    }
    let calendars = found.items.compactMap { $0?.calendar }
    // The id of an account's primary calendar is its e-mail address.
    if let person, let own = calendars.first(where: \.isPrimary)?.id, own.contains("@"), !person.isNamed(own) {
      throw CalendarError(.otherAccount, detail: own)
    }
    return calendars
  }

  /// The events in a range, in chronological order.
  package func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents {
    let query = Self.expanded + Self.bounds(range) + [("orderBy", "startTime")]
    let found = try await pages(["calendars", calendar.id, "events"], query, GoogleEventItem.self)
    let sorted = GoogleEventItem.sorted(found.items)
    return FoundEvents(sorted.events, unreadable: sorted.unreadable)
  }

  /// The changes. Google rejects range and order together with a token, which includes them, and sends no token if an
  /// order was requested.
  package func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome {
    let query = Self.expanded + (token.map { [("syncToken", $0.text)] } ?? Self.bounds(range))
    do throws(CalendarError) {
      let found = try await pages(["calendars", calendar.id, "events"], query, GoogleEventItem.self)
      let sorted = GoogleEventItem.sorted(found.items)
      return .changed(
        CalendarChanges(
          events: sorted.events, removed: sorted.removed, isWhole: token == nil, next: found.sync.map { SyncToken($0) },
          unreadable: sorted.unreadable))
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
      let page = try await client.get(address, as: GooglePage<Item>.self)
      items += page.items
      guard let token = page.nextPageToken else { return (items, page.nextSyncToken) }
      try walk.advance(to: token, holding: items.count)
      next = token
    }
  }
}
