internal import KeyplanCore
import KeyplanHTTP

/// A calendar of events at a server.
struct DAVCalendar: Hashable, Sendable {
  let address: HTTPAddress
  /// As people named it.
  let name: String
  /// Whether the account may change its events; servers that do not say let it.
  var isWritable = true
}

/// All calendars of an account.
struct DAVCalendars: Hashable, Sendable {
  var calendars: [DAVCalendar] = []
  /// Hosts of calendars that could not be taken, since the password is not sent there.
  var elsewhere: Set<String> = []
}

/// What a calendar was like when it was read, in the server's own words: equal, and nothing changed.
enum DAVMark: Hashable, Sendable {
  /// Changes since then can be asked for.
  case token(String)
  /// The calendar can be compared as a whole.
  case tag(String)
}
