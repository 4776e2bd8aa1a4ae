package import KeyplanCore
package import KeyplanHTTP

/// A service that holds calendars, asked with one account's access token. What all of them can do, and no more.
package protocol CalendarService: Sendable {
  /// All calendars of the account, also those that it only reads.
  func calendars() async throws(CalendarError) -> [FoundCalendar]

  /// What lies in a range, in order of time. Recurring events come as their instances: the service expands them.
  func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents

  /// What has changed since the last time; everything where there was none. A token is good for the range that it was
  /// first given for.
  func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome
}

/// The one way out of this module.
package protocol CalendarPort: Sendable {
  /// Sends a request and gives the answer, whatever its status.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient: CalendarPort {}
