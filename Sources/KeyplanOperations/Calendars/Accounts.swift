internal import KeyplanApply
package import KeyplanCalendars
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting
package import KeyplanSecrets
internal import KeyplanStore

/// The calendar accounts of a manifest, for commands that use one now.
package struct Accounts {
  package let workspace: Workspace

  package init(in world: World) async throws {
    workspace = try await Workspace(in: world)
    guard workspace.store != nil else { throw Failure.noStore(workspace.place) }
  }

  /// Those of a plan.
  package init(of workspace: Workspace) { self.workspace = workspace }

  package var world: World { workspace.world }

  /// The client for calendar services, present if there are accounts.
  package func services() throws(Failure) -> CalendarServices {
    guard let service = workspace.service else {
      throw Failure(
        .failed, "No calendar accounts", "The manifest declares none.", hint: "Declare one under `calendars` first.")
    }
    return service
  }

  /// A declared account, by its name.
  package func declared(_ name: String) throws(Failure) -> Identifier<Account> {
    try find(
      name, among: workspace.manifest.accounts.keys, "Not declared", "The manifest has no calendar account",
      hint: "Declare it under `calendars` first.")
  }

  /// A recorded account, by its name.
  package func recorded(_ name: String) throws(Failure) -> Identifier<Account> {
    try find(
      name, among: workspace.recorded.accounts.keys, "Not recorded", "The store has no calendar account",
      hint: "List the accounts with: keyplan calendar status", suggesting: Array(workspace.manifest.accounts.keys))
  }

  /// An account by its name or its address.
  /// - Parameter others: accounts that the command does not accept, but whose names may have been misspelled.
  private func find(
    _ name: String, among ids: some Collection<Identifier<Account>>, _ summary: String, _ reason: String, hint: String,
    suggesting others: [Identifier<Account>] = []
  ) throws(Failure) -> Identifier<Account> {
    let written = name.hasPrefix("calendar.") ? String(name.dropFirst("calendar.".count)) : name
    if let id = ids.first(where: { $0.name == written }) { return id }
    let isOther = others.contains { $0.name == written }
    let near = isOther ? nil : Suggestion.nearest(to: written, among: (ids + others).map(\.name))
    throw Failure(
      .failed, summary, "\(reason) \"\(written)\".", hint: near.map { "Did you mean \($0)?" } ?? hint)
  }

  /// The states of accounts as reported by their services.
  package func statuses(of id: Identifier<Account>?) async throws(Failure) -> [AccountStatus] {
    let manifest = workspace.manifest
    let addresses = (id.map { [$0] } ?? Array(manifest.accounts.keys)).map(Address.calendar)
    guard !addresses.isEmpty else { return [] }
    let observed = try await workspace.observe(
      only: Selection(addresses, in: manifest, recorded: workspace.recorded))
    return AccountStatus.all(of: manifest, in: observed, only: id, at: world.now)
  }

  /// The services' answers about stored tokens that have not expired: one may have been revoked, or belong to another person.
  package func findings() async throws(Failure) -> [Identifier<Account>: AccountFinding] {
    let (manifest, recorded) = (workspace.manifest, workspace.recorded)
    let live = manifest.accounts.filter { id, account in
      account.signIn.hasTokens && recorded.accounts[id]?.signIn?.isDue(at: world.now) == false
    }
    guard !live.isEmpty else { return [:] }
    let selection = Selection(live.map { .calendar($0.key) }, in: manifest, recorded: recorded)
    return try await workspace.observe(only: selection).accounts
  }

  /// The answer of an account's service about a token. Requires no other secret.
  package func finding(_ id: Identifier<Account>, _ access: SecretBox) async throws(Failure) -> AccountFinding {
    guard let account = workspace.manifest.accounts[id],
      account.facts.hosts.allSatisfy(workspace.recorded.surface.contains)
    else { return .heldBack }
    let tokens = AccountTokens(access: access, refresh: nil)
    return await (try services()).ask(AccountAsk(id: id, account: account, tokens: tokens))
  }

  /// The reason that the account cannot be used, given its service's answer; nil if it can.
  package func need(_ id: Identifier<Account>, _ finding: AccountFinding?) -> AccountNeed? {
    workspace.manifest.accounts[id].flatMap {
      PlannedAccount(id, $0, in: workspace.recorded).need(finding, at: world.now)
    }
  }

  /// An access token that is valid for some minutes and accepted by its service, if that is reachable: a stored token may be
  /// rejected before it expires, and is then replaced once.
  package func token(of id: Identifier<Account>, timeout: Duration?) async throws(Failure) -> SecretBox {
    let account = workspace.manifest.accounts[id]
    var refused: SecretBox?
    while true {
      let kept = try await keep(id, insteadOf: refused, timeout: timeout)
      guard let token = kept.usable else { throw Failure(kept, id, account) }
      let finding = try await finding(id, token)
      if finding == .refused, case .fresh = kept, refused == nil {
        refused = token
        continue
      }
      if case .otherAccount(let name) = finding, let account {
        let need = AccountNeed(facts: account.facts, reason: .otherAccount, found: name)
        throw Failure(.needsPerson(need, code: ""), id, account)
      }
      return token
    }
  }

  /// Sends a request to an account's service, and repeats it with a new token if the current one is rejected.
  package func asking<Value>(
    _ id: Identifier<Account>, _ work: (any CalendarService) async throws(CalendarError) -> Value
  ) async throws(Failure) -> Value {
    guard let account = workspace.manifest.accounts[id] else { throw Failure(.noTokens, id, nil) }
    let services = try services()
    var access: SecretBox?
    for isAgain in [false, true] {
      if account.signIn.hasTokens {
        let kept = try await keep(id, insteadOf: access, timeout: nil)
        guard let token = kept.usable else { throw Failure(kept, id, account) }
        access = token
      }
      let ask = try await self.ask(id, access)
      do throws(CalendarError) {
        if let service = try services.calendars(of: ask) { return try await work(service) }
      } catch {
        guard error.code == .tokenRefused, account.signIn.hasTokens, !isAgain else {
          throw Failure(error, id, account)
        }
      }
    }
    throw Failure(.noTokens, id, account)
  }

  /// An account with the secrets required by its service.
  package func ask(_ id: Identifier<Account>, _ access: SecretBox?) async throws(Failure) -> AccountAsk {
    let answer: Result<AccountAsk, MissingSecret>
    do throws(StoreError) {
      answer = try await tokenProvider().ask(for: id, access: access)
    } catch {
      throw Failure(error)
    }
    switch answer {
    case .success(let ask): return ask
    case .failure(.notAllowedYet(let item)): throw Failure(.notAllowedYet(item), id, nil)
    case .failure(.notHad(let reason, let isUnreachable)):
      throw Failure(isUnreachable ? .unreachable : .failed, "Secret not found", reason)
    }
  }
}
