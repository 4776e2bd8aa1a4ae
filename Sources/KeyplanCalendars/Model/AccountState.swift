public import KeyplanCore

/// Where a calendar account is in its life, the same for all services.
public enum AccountState: Hashable, Sendable {
  /// The service has answered with this token, and the calendar is there.
  case granted(FoundCalendar, until: Moment?)
  /// The access token's time is over, or the service refuses it; there is a refresh token for the next one.
  case expired
  /// Only a person can help.
  case needsSignIn(SignInReason)
  /// The person did not agree to everything, or it was reduced since. The scopes that are missing, where they are known.
  case partlyGranted(missing: [String])
  /// No calendar is chosen, and the account prefers none; there are these.
  case noCalendarSelected([String])
  /// No calendar has the id or name that is declared; perhaps the nearest is meant.
  case calendarNotFound(String, nearest: String?)
  /// Several calendars have the declared name, and these ids.
  case calendarAmbiguous(String, ids: [String])
  /// Nothing is known now: what is stored, and what was known before, stays.
  case unreachable(CalendarError)
  /// The service does not let this client or account in, whatever the token.
  case notAllowed(CalendarError)

  /// Why a person is needed.
  public enum SignInReason: Hashable, Sendable {
    /// Nobody has signed in yet.
    case never
    /// The service refuses the token, and there is nothing to refresh it with.
    case refused
    /// The service ended the sign-in: taken back, too old, or used twice.
    case ended
    /// The service wants the person: another factor, another device.
    case personNeeded
  }

  /// What to do next.
  public enum NextAction: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// Get the next access token; no person is needed.
    case refresh
    /// A person signs in.
    case signIn
    /// Name another calendar in the manifest.
    case select
    /// Ask again later.
    case wait
    /// Change something in the service's console, or have it changed.
    case configure
  }

  /// What to do next.
  public var nextAction: NextAction {
    switch self {
    case .granted: .nothing
    case .expired: .refresh
    case .needsSignIn, .partlyGranted: .signIn
    case .noCalendarSelected, .calendarNotFound, .calendarAmbiguous: .select
    case .unreachable: .wait
    case .notAllowed: .configure
    }
  }
}
