extension AccountState: CustomStringConvertible {
  /// What is the case, in one sentence without a full stop.
  public var description: String {
    switch self {
    case .granted(let calendar, nil): "the service answers; the calendar is \(calendar.name)"
    case .granted(let calendar, let until?): "the service answers; the calendar is \(calendar.name), until \(until)"
    case .expired: "the access token's time is over; it can be refreshed"
    case .needsSignIn(.never): "nobody has signed in yet"
    case .needsSignIn(.refused): "the service does not accept the access token, and there is no refresh token"
    case .needsSignIn(.ended): "the sign-in is not valid any more"
    case .needsSignIn(.personNeeded): "the service wants the person to sign in again"
    case .partlyGranted(let missing) where missing.isEmpty: "the sign-in does not cover reading the calendars"
    case .partlyGranted(let missing): "the sign-in does not cover \(missing.joined(separator: ", "))"
    case .noCalendarSelected(let names) where names.isEmpty: "the account has no calendar"
    case .noCalendarSelected: "no calendar is chosen, and the account has none that is its own default"
    case .calendarNotFound(let wanted, nil): "the account has no calendar \(wanted)"
    case .calendarNotFound(let wanted, let nearest?):
      "the account has no calendar \(wanted); did you mean \(nearest)?"
    case .calendarAmbiguous(let wanted, let ids): "the account has \(ids.count) calendars named \(wanted)"
    case .unreachable(let error), .notAllowed(let error): "\(error)"
    }
  }

  /// What helps, beyond the next action; for a person.
  public var hint: String? {
    switch self {
    case .noCalendarSelected(let names) where !names.isEmpty: "name one of them: \(names.joined(separator: ", "))"
    case .calendarAmbiguous(_, let ids): "name one of them by its id: \(ids.joined(separator: ", "))"
    case .partlyGranted: "sign in again and agree to all that is asked"
    case .unreachable(let error), .notAllowed(let error): error.hint
    case .granted, .expired, .needsSignIn, .noCalendarSelected, .calendarNotFound: nil
    }
  }
}
