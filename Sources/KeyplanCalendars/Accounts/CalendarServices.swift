package import KeyplanApply
package import KeyplanCore
package import KeyplanHTTP
import KeyplanOAuth
import KeyplanSecrets

/// Asks Google, Microsoft and CalDAV servers in the name of accounts: one way for all of them.
package struct CalendarServices: AccountService {
  let client: HTTPClient
  let settings: HTTPSettings
  let clock: @Sendable () -> Moment
  /// Before a request is sent again that never left this machine.
  let pause: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - clock: what time it is; a service account signs it.
  ///   - pause: waits; in tests it need not.
  package init(
    _ settings: HTTPSettings, clock: @escaping @Sendable () -> Moment,
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.settings = settings
    self.clock = clock
    self.pause = pause
    client = HTTPClient(settings)
  }

  /// Asks for the account's calendars.
  package func ask(_ ask: AccountAsk) async -> AccountFinding {
    do throws(CalendarError) {
      guard let calendars = try calendars(of: ask) else { return .expired }
      return .answered(try await calendars.calendars().map(AccountCalendar.init))
    } catch {
      return AccountFinding(error)
    }
  }

  /// The calendars of an account, to be asked with the access token or the password that is given.
  /// - Returns: `nil` where neither is.
  /// - Throws: `CalendarError` for an address that cannot be called.
  package func calendars(of ask: AccountAsk) throws(CalendarError) -> (any CalendarService)? {
    let facts = ask.account.facts
    let address: HTTPAddress
    do throws(HTTPError) {
      address = try HTTPAddress(facts.address(of: .api) ?? "")
    } catch {
      throw CalendarError(error)
    }
    // Who lets itself in says with that whom it means, and the service answers for nobody else.
    let person = ask.account.signIn.needsPerson ? facts : nil
    switch facts.service {
    case .google:
      return ask.tokens?.access.map { GoogleCalendars(at: address, of: person, token: $0, through: client) }
    case .outlook:
      // An app that asks in its own name is nobody: it says whose calendars it means.
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
  /// After the service did not give its calendars.
  init(_ error: CalendarError) {
    let reason = "\(error)".asSentence
    self =
      switch error.code {
      case .tokenRefused, .passwordRefused: .refused
      case .personNeeded: .personNeeded
      case .otherAccount: .otherAccount(error.said)
      case .scopeMissing: .scopeMissing
      case .interfaceOff, .forbidden, .notFound, .resyncNeeded, .refused:
        .notAllowed(reason: reason, hint: error.hint?.asSentence)
      case .unreachable, .busy, .notAnAnswer, .endless, .elsewhere: .unreachable(reason: reason)
      }
  }
}

extension String {
  /// A part of a sentence as one of its own. A host's name stays as it is written.
  var asSentence: String {
    let word = prefix { $0 != " " }
    let start = word.contains(".") || word.contains(":") ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    return start + dropFirst(word.count) + "."
  }
}
