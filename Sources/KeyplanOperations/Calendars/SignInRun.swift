package import KeyplanApply
internal import KeyplanCalendars
package import KeyplanCore
internal import KeyplanHTTP
internal import KeyplanOAuth
package import KeyplanReporting
internal import KeyplanSecrets

/// Has a person sign in, and gives what the service granted. Nothing is stored here.
package struct SignInRun {
  private let id: Identifier<Account>
  private let account: Account
  private let accounts: Accounts
  private let services: CalendarServices
  private let ask: AccountAsk
  private let signIn: AccountSignIn
  private let person: Person
  private let limit: Duration

  /// How the person who signs in is reached.
  package struct Person: Sendable {
    /// Opens a page in the person's browser; nil where that is not wanted or not possible.
    package var openPage: (@Sendable (_ address: String) -> Void)?
    /// The descriptor of a terminal at which the person can paste the address that the browser ended at; nil for none.
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
        .usage, "Nobody signs in there", "calendar.\(id) is let in without a person: \(account.signIn.words).",
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
      throw Failure(.failed, "Service cannot be asked", "\(error).", hint: error.hint)
    }
  }

  /// What the service granted to the person.
  package func grant() async throws(Failure) -> AccountGrant {
    let outcome = account.signIn == .device ? try await onDevice() : try await inBrowser()
    switch outcome {
    case .granted(let grant): return grant
    case .refused(let refusal): throw refused(refusal)
    case .unavailable(let unavailable): throw unreachable("\(unavailable)")
    }
  }

  /// Holds what was granted to the account that is declared: somebody may be signed in as another person in that browser.
  package func check(_ grant: AccountGrant) async throws(Failure) {
    let asked = AccountAsk(
      id: id, account: account, tokens: AccountTokens(access: grant.access, refresh: nil))
    guard case .otherAccount(let name) = await services.ask(asked) else { return }
    throw Failure(
      .failed, "Signed in to another account",
      "The sign-in is for \(name), and calendar.\(id) declares \(account.facts.account). Nothing was changed.",
      hint: "Choose \(account.facts.account) in the browser, or write \(name) in the manifest.")
  }

  /// Says which of the scopes were not granted, once the sign-in is recorded.
  package func completeness(of grant: AccountGrant) -> Failure? {
    guard let missing = grant.missing, !missing.isEmpty else { return nil }
    let need = AccountNeed(facts: account.facts, reason: .scopesMissing, missing: missing)
    return Failure(
      .personNeeded, "Partially granted", "calendar.\(id): \(AccountMessages.need(need)).",
      hint: "keyplan calendar sign-in \(id), and agree to everything that is asked")
  }

  // MARK: In a browser

  private func inBrowser() async throws(Failure) -> SignInOutcome {
    let listener: SignInListener
    do throws(ListeningError) { listener = try SignInListener() } catch {
      throw Failure(.failed, "Nobody can be waited for", "\(error).")
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
        world.console.show("That is not the address of this sign-in. Paste it whole, from http:// on.\n")
      }
    }
    switch ending {
    case .code(let code): return await signIn.redeem(code, of: page)
    case .refused(let refusal): return .refused(refusal)
    case .timedOut: throw late
    case .cancelled: throw Failure(.interrupted, "Interrupted", "Nobody has signed in, and nothing was changed.")
    case .failed(let error): throw Failure(.failed, "Nobody can be waited for", "\(error).")
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
      throw Failure(.interrupted, "Interrupted", "Nobody has signed in, and nothing was changed.")
    }
    if case .refused(let refusal) = outcome, refusal.reason == .codeSpent { throw late }
    return outcome
  }

  private var late: Failure {
    Failure(
      .personNeeded, "Nobody signed in", "The time for it is over, and nothing was changed.",
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
      "keyplan calendar sign-in \(id), and agree to everything that is asked; an administrator may have to"
    case .forbidden, .assertion, .client, .scope, .setup, .other: refusal.hint
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
    case .serviceAccount: "a key file signs for it"
    case .clientCredentials: "the client has a secret"
    case .password: "there is a password"
    }
  }
}
