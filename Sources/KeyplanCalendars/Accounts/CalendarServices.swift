package import KeyplanHTTP
package import KeyplanModel
import KeyplanOAuth
package import KeyplanPorts
import KeyplanSecrets

/// Sends requests to Google, Microsoft and CalDAV servers on behalf of accounts.
package struct CalendarServices: AccountService {
  let client: HTTPClient
  let settings: HTTPSettings
  let clock: @Sendable () -> Moment
  /// Waits before a request that never left this machine is repeated.
  let pause: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - clock: returns the current time, which is part of a service account's signature.
  ///   - pause: waits; replaced in tests.
  package init(
    _ settings: HTTPSettings, clock: @escaping @Sendable () -> Moment,
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.settings = settings
    self.clock = clock
    self.pause = pause
    client = HTTPClient(settings)
  }

  package func ask(_ ask: AccountAsk) async -> AccountFinding {
    do throws(CalendarError) {
      guard let calendars = try calendars(of: ask) else { return .expired }
      return .answered(try await calendars.calendars().map(AccountCalendar.init))
    } catch {
      return AccountFinding(error)
    }
  }

  /// The client for an account's calendars, with its access token or password.
  /// - Returns: `nil` if there is neither.
  /// - Throws: `CalendarError` for an invalid address.
  package func calendars(of ask: AccountAsk) throws(CalendarError) -> (any CalendarService)? {
    let facts = ask.account.facts
    let address: HTTPAddress
    do throws(HTTPError) {
      address = try HTTPAddress(facts.address(of: .api) ?? "")
    } catch {
      throw CalendarError(error)
    }
    // With an interactive sign-in, the account that the service reports must be the declared one.
    let person = ask.account.signIn.needsPerson ? facts : nil
    switch facts.service {
    case .google:
      return ask.tokens?.access.map { GoogleCalendars(at: address, of: person, token: $0, through: client) }
    case .outlook:
      // An app that authenticates itself must name the user whose calendars it reads.
      let user = ask.account.signIn == .clientCredentials ? facts.account : nil
      return ask.tokens?.access.map {
        GraphCalendars(at: address, user: user, of: person, token: $0, through: client)
      }
    case .caldav:
      return ask.password.map { CalDAVCalendars(at: address, user: facts.account, password: $0, settings) }
    }
  }
}

extension AccountCalendar {
  init(_ calendar: FoundCalendar) {
    self.init(id: calendar.id, name: calendar.name, isPrimary: calendar.isPrimary)
  }
}

extension AccountFinding {
  /// The finding for a failed request.
  init(_ error: CalendarError) {
    let reason = "\(error)".asSentence
    self =
      switch error.code {
      case .tokenRefused, .passwordRefused: .refused
      case .personNeeded: .personNeeded
      case .otherAccount: .otherAccount(error.detail)
      case .scopeMissing: .scopeMissing
      case .interfaceOff, .forbidden, .notFound, .resyncNeeded, .refused:
        .notAllowed(reason: reason, hint: error.hint)
      case .unreachable, .busy, .notAnAnswer, .endless, .elsewhere: .unreachable(reason: reason)
      }
  }
}

extension String {
  /// A phrase as a whole sentence. A host name at its beginning is not capitalized.
  var asSentence: String {
    let word = prefix { $0 != " " }
    let start = word.contains(".") || word.contains(":") ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    return start + dropFirst(word.count) + "."
  }
}
