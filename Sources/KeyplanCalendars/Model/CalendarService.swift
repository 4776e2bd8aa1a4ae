package import KeyplanHTTP
package import KeyplanModel

/// The calendars of one account at a service: the functions that all services support.
package protocol CalendarService: Sendable {
  /// All calendars of the account, including read-only ones.
  func calendars() async throws(CalendarError) -> [FoundCalendar]

  /// The events in a range, in chronological order, each occurrence of a recurring one separately.
  func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents

  /// The changes since the token was issued; everything without a token. A token remains tied to the range of its first
  /// request.
  func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome
}

/// Sends the requests of this module.
package protocol CalendarPort: Sendable {
  /// Sends a request and returns the response, whatever its status.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient: CalendarPort {}
