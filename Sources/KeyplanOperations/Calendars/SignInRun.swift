internal import KeyplanApply
internal import KeyplanCalendars
internal import KeyplanHTTP
package import KeyplanModel
internal import KeyplanOAuth
internal import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting
internal import KeyplanSecrets

/// Runs a sign-in and returns the granted tokens. Stores nothing.
package struct SignInRun {
  private let id: Identifier<Account>
  private let account: Account
  private let accounts: Accounts
  private let services: CalendarServices
  private let ask: AccountAsk
  private let signIn: AccountSignIn
  private let person: Person
  private let limit: Duration

  /// The ways to interact with the user.
  package struct Person: Sendable {
    /// Opens a page in the user's browser; nil if unwanted or impossible.
    package var openPage: (@Sendable (_ address: String) -> Void)?
    /// The descriptor of a terminal in which the user can paste the redirect address; nil for none.
    package var terminal: Int32?

    package init(openPage: (@Sendable (_ address: String) -> Void)? = nil, terminal: Int32? = nil) {
      (self.openPage, self.terminal) = (openPage, terminal)
    }
  }

  package init(_ id: Identifier<Account>, _ accounts: Accounts, by person: Person, within limit: Duration) async throws
  {
    guard let account = accounts.workspace.manifest.accounts[id] else { throw Failure(.noTokens, id, nil) }
    guard account.signIn.needsPerson else {
      let hint = account.signIn.hasTokens ? "keyplan calendar refresh \(id)" : "keyplan calendar status \(id)"
      throw Failure(
        .usage, "No sign-in needed", "calendar.\(id) requires no interactive sign-in: \(account.signIn.words).",
        hint: hint)
    }
    self.id = id
    self.account = account
    self.accounts = accounts
    self.person = person
    self.limit = limit
    ask = try await accounts.ask(id, nil)
    services = try accounts.services()
    do throws(HTTPError) {
      signIn = try AccountSignIn(ask, through: services)
    } catch {
      throw Failure(.failed, "Request failed", "\(error).", hint: error.hint)
    }
  }

  /// The tokens that the service granted.
  package func grant() async throws(Failure) -> AccountGrant {
    let outcome = account.signIn == .device ? try await onDevice() : try await inBrowser()
    switch outcome {
    case .granted(let grant): return grant
    case .refused(let refusal): throw refused(refusal)
    case .unavailable(let unavailable): throw unreachable("\(unavailable)")
    }
  }

  /// Verifies that the declared account has signed in: the browser may have a session of another account.
  package func check(_ grant: AccountGrant) async throws(Failure) {
    let asked = AccountAsk(
      id: id, account: account, tokens: AccountTokens(access: grant.access, refresh: nil))
    guard case .otherAccount(let name) = await services.ask(asked) else { return }
    throw Failure(
      .failed, "Signed in to another account",
      "You signed in as \(name), but calendar.\(id) declares \(account.facts.account). Nothing was changed.",
      hint: "Choose \(account.facts.account) in the browser, or change the manifest to \(name).")
  }

  /// Reports scopes that were not granted, after the sign-in is recorded.
  package func completeness(of grant: AccountGrant) -> Failure? {
    guard let missing = grant.missing, !missing.isEmpty else { return nil }
    let need = AccountNeed(facts: account.facts, reason: .scopesMissing, missing: missing)
    return Failure(
      .personNeeded, "Partially granted", "calendar.\(id): \(AccountMessages.need(need)).",
      hint: "keyplan calendar sign-in \(id), and grant all requested permissions")
  }

  /// Reports a sign-in that ends with its access token, after it is recorded.
  package func permanence(of grant: AccountGrant) -> Failure? {
    // The refresh token of an earlier sign-in is kept if the service returns no other.
    let before = PlannedAccount(id, account, in: accounts.workspace.recorded).record?.signIn
    guard grant.refresh == nil, before.map({ $0.ended != nil || !$0.isRefreshable }) ?? true else { return nil }
    let end = grant.lifetime.map { accounts.world.now + $0 }
    let when = end.map { "at \(Style().time($0))" } ?? "when that expires"
    return Failure(
      .personNeeded, "No refresh token",
      "calendar.\(id): \(account.facts.service.spoken) gave an access token only, so that the sign-in ends \(when).",
      hint: AccountMessages.refreshTokenHint(id))
  }

  // MARK: In a browser

  private func inBrowser() async throws(Failure) -> SignInOutcome {
    let listener: SignInListener
    do throws(ListeningError) { listener = try SignInListener() } catch {
      throw Failure(.failed, "Cannot listen for the sign-in redirect", "\(error).")
    }
    let page = signIn.browser(port: listener.port)
    let world = accounts.world
    let open = person.openPage
    world.console.show(
      SignInText.browser(
        account, id, address: page.address, port: listener.port, limit: limit, isOpened: open != nil,
        mayPaste: person.terminal != nil))
    open?(page.address)
    let (ending, _) = await world.console.cancelling { [limit, person] in
      await listener.answer(to: page, pastedAt: person.terminal, within: limit) {
        world.console.show(
          "This is not the address of this sign-in. Paste the complete address, beginning with http://.\n")
      }
    }
    switch ending {
    case .code(let code): return await signIn.redeem(code, of: page)
    case .refused(let refusal): return .refused(refusal)
    case .timedOut: throw late
    case .cancelled: throw Failure(.interrupted, "Interrupted", "The sign-in was not completed. Nothing was changed.")
    case .failed(let error): throw Failure(.failed, "Cannot listen for the sign-in redirect", "\(error).")
    }
  }

  // MARK: On another device

  private func onDevice() async throws(Failure) -> SignInOutcome {
    let begun: DeviceSignIn
    switch await signIn.beginDevice() {
    case .begun(let device): begun = device
    case .refused(let refusal): throw refused(refusal)
    case .unavailable(let unavailable): throw unreachable("\(unavailable)")
    }
    let world = accounts.world
    let limit = min(begun.lifetime, Interval(seconds: limit.components.seconds))
    world.console.show(
      SignInText.device(account, id, address: begun.address, code: begun.userCode, within: limit))
    let (outcome, _) = await world.console.cancelling { [signIn] in
      await signIn.endDevice(begun, within: limit, clock: { world.now })
    }
    guard let outcome else {
      throw Failure(.interrupted, "Interrupted", "The sign-in was not completed. Nothing was changed.")
    }
    if case .refused(let refusal) = outcome, refusal.reason == .codeSpent { throw late }
    return outcome
  }

  private var late: Failure {
    Failure(
      .personNeeded, "Sign-in timed out", "The sign-in was not completed in time. Nothing was changed.",
      hint: "keyplan calendar sign-in \(id)")
  }

  private func refused(_ refusal: Refusal) -> Failure {
    Failure(
      refusal.reason == .denied ? .personNeeded : .failed, "Not signed in",
      "\(account.facts.service.spoken): \(refusal). Nothing was changed.", hint: hint(refusal))
  }

  private func hint(_ refusal: Refusal) -> String {
    switch refusal.reason {
    case .ended, .sessionEnded, .needsPerson, .denied, .codeSpent: "keyplan calendar sign-in \(id)"
    case .needsConsent:
      "keyplan calendar sign-in \(id), and grant all requested permissions; this may require an administrator"
    case .forbidden, .assertion, .client, .secretExpired, .clientDisabled, .accountDisabled, .conditionalAccess, .scope,
      .setup, .other:
      refusal.accountReason.hint
    }
  }

  private func unreachable(_ words: String) -> Failure {
    Failure(.unreachable, "Service unreachable", "\(words). Nothing was changed.", hint: nil)
  }
}

extension Account.SignIn {
  fileprivate var words: String {
    switch self {
    case .browser: "a browser"
    case .device: "another device"
    case .serviceAccount: "it uses a key file"
    case .clientCredentials: "it uses a client secret"
    case .password: "it uses a password"
    }
  }
}
