import KeyplanHTTP
internal import KeyplanModel

/// A calendar for events on a server.
struct DAVCalendar: Hashable, Sendable {
  let address: HTTPAddress
  /// The display name.
  let name: String
  /// Whether the account may change its events; true if the server does not say.
  var isWritable = true
}

/// All calendars of an account.
struct DAVCalendars: Hashable, Sendable {
  var calendars: [DAVCalendar] = []
  /// Hosts of further calendars, which are not read because the password is not sent there.
  var elsewhere: Set<String> = []
}

/// The state of a calendar when it was read. If it is unchanged, so is the calendar.
enum DAVMark: Hashable, Sendable {
  /// A sync token, with which changes can be requested.
  case token(String)
  /// A tag of the whole calendar, for comparison only.
  case tag(String)
}
