public import KeyplanCore

/// What is stored of an account's sign-in, as far as its state depends on it.
public struct AccountAccess: Hashable, Sendable {
  /// When the access token's time is over; `nil` where the service did not say.
  public let until: Moment?
  /// Whether there is a refresh token.
  public let isRefreshable: Bool
  /// What was wanted at the sign-in and not granted.
  public let missing: [String]

  /// Nothing is checked.
  public init(until: Moment?, isRefreshable: Bool, missing: [String] = []) {
    self.until = until
    self.isRefreshable = isRefreshable
    self.missing = missing
  }

  /// The state where it is clear without asking: an access token that is over is not tried.
  public func stateUnasked(at now: Moment) -> AccountState? {
    guard let until, until <= now else { return nil }
    return isRefreshable ? .expired : .needsSignIn(.ended)
  }
}

extension CalendarService {
  /// The state of an account by the service's own word: the calendars are asked for, and the declared one must be there.
  ///
  /// - Parameters:
  ///   - access: what is stored of the sign-in that this service asks with.
  ///   - wanted: the declared calendar, by id or name; `nil` for the one that the account prefers.
  public func state(of access: AccountAccess, selecting wanted: String?, at now: Moment) async -> AccountState {
    if let state = access.stateUnasked(at: now) { return state }
    do throws(CalendarError) {
      return AccountState(CalendarChoice(wanted, among: try await calendars()), access)
    } catch {
      return AccountState(error, access)
    }
  }
}

extension AccountState {
  /// After the service has answered.
  init(_ choice: CalendarChoice, _ access: AccountAccess) {
    guard access.missing.isEmpty else {
      self = .partlyGranted(missing: access.missing)
      return
    }
    self =
      switch choice {
      case .chosen(let calendar): .granted(calendar, until: access.until)
      case .open(let calendars): .noCalendarSelected(calendars.map(\.name))
      case .unknown(let wanted, let nearest): .calendarNotFound(wanted, nearest: nearest)
      case .ambiguous(let wanted, let ids): .calendarAmbiguous(wanted, ids: ids)
      }
  }

  /// After the service did not give its calendars.
  init(_ error: CalendarError, _ access: AccountAccess) {
    self =
      switch error.code {
      // The service may have revoked this one token only; asking for the next one tells.
      case .tokenRefused: access.isRefreshable ? .expired : .needsSignIn(.refused)
      case .personNeeded: .needsSignIn(.personNeeded)
      case .scopeMissing: .partlyGranted(missing: access.missing)
      case .interfaceOff, .forbidden, .notFound, .resyncNeeded, .refused: .notAllowed(error)
      case .unreachable, .busy, .notAnAnswer, .endless, .elsewhere: .unreachable(error)
      }
  }
}
