package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
package import KeyplanSecrets

/// Gets the next access token of one account, outside of any plan: for whoever needs one now, and for cron. The caller holds
/// the account's lock from before this begins until it has ended.
///
/// The store is locked for as long as something is written, and never over a request: other accounts, and an apply, need not
/// wait for a slow service.
package struct TokenProvider: Sendable {
  /// Writes to a store that is locked for as long as this is called.
  package typealias Work = @Sendable (any RecordStore & TokenStore) throws(StoreError) -> TokenResult?

  /// The pending write, which decides how long to wait for the store's lock.
  package enum Writing: Sendable {
    /// That a request is about to be sent. Without it, it is not sent.
    case intent
    /// The answer: a token that was rotated is lost if this is not written.
    case result
  }

  let observer: Observer
  let manifest: Manifest
  let clock: @Sendable () -> Moment
  let read: @Sendable () throws(StoreError) -> any RecordStore & TokenStore
  let write: @Sendable (Writing, Work) async throws(StoreError) -> TokenResult?

  /// - Parameters:
  ///   - observer: asks sources for the secrets of accounts, and the service for tokens.
  ///   - read: opens the store as it is now.
  ///   - write: locks the store, opens it, and calls.
  package init(
    observer: Observer, manifest: Manifest, clock: @escaping @Sendable () -> Moment,
    read: @escaping @Sendable () throws(StoreError) -> any RecordStore & TokenStore,
    write: @escaping @Sendable (Writing, Work) async throws(StoreError) -> TokenResult?
  ) {
    self.observer = observer
    self.manifest = manifest
    self.clock = clock
    self.read = read
    self.write = write
  }

  /// An account as it is in the store, with its tokens.
  struct AccountState {
    let record: AccountRecord?
    let tokens: AccountTokens?
    let surface: Surface
  }

  /// Has an access token that is good for some minutes.
  ///
  /// - Parameters:
  ///   - isForced: gets the next one although this one's time is not over.
  ///   - refused: one that the service refuses; where another one is stored by now, somebody else was faster.
  package func keep(
    _ id: Identifier<Account>, isForced: Bool = false, insteadOf refused: SecretBox? = nil
  ) async throws(StoreError) -> TokenResult {
    guard let account = manifest.accounts[id], account.signIn.hasTokens else { return .noTokens }
    let (standing, now) = (try standing(of: id), clock())
    let planned = PlannedAccount(id, account, standing.record)
    let signIn = planned.record?.signIn
    let isRefused = refused.map { standing.tokens?.access?.equals($0) ?? true } ?? false
    let isWanted = isForced || isRefused || signIn?.isDue(at: now) ?? true
    if let need = planned.need(nil, at: now), need.reason != .scopesMissing || !isWanted {
      return .needsPerson(need, code: signIn?.ended?.said ?? "")
    }
    // What is missing may have been agreed to since, by an administrator: the service says so with the next token.
    if !isWanted, let token = standing.tokens?.access { return .fresh(token) }
    guard signIn?.isRefreshable ?? false || !account.signIn.needsPerson else {
      // The current token may still be valid, but it cannot be replaced.
      let until = signIn?.isLive(at: now) == true && !isRefused ? signIn?.accessEnd : nil
      return .needsPerson(AccountNeed(facts: account.facts, reason: .notRefreshable, until: until), code: "")
    }
    return try await refresh(id, account, planned.record, standing)
  }

  /// An account with its secrets, to ask its service with.
  /// - Parameter access: the access token; nil where there is none, or none is needed.
  package func ask(
    for id: Identifier<Account>, access: SecretBox?
  ) async throws(StoreError) -> Result<AccountAsk, MissingSecret> {
    guard let account = manifest.accounts[id] else {
      return .failure(.notHad(reason: "\"\(id)\" is not declared.", isUnreachable: false))
    }
    let recorded = try read().recorded()
    let tokens = access.map { AccountTokens(access: $0, refresh: nil) }
    return await ask(id, account, recorded.accounts[id], tokens, allowing: recorded.surface)
  }

  private func ask(
    _ id: Identifier<Account>, _ account: Account, _ record: AccountRecord?, _ tokens: AccountTokens?,
    allowing surface: Surface
  ) async -> Result<AccountAsk, MissingSecret> {
    // Also what a host may be sent: another credential for a known host is not permitted before it was applied.
    let refused = account.surfaceTerms.filter { item, terms in
      surface.contains(item) ? !surface.permits(item, with: terms) : item.kind != .host
    }
    if let item = refused.keys.min() { return .failure(.notAllowedYet(item)) }
    let ways = account.references.compactMap { manifest.connection(named: $0.scheme) }
    for (item, terms) in ways.flatMap(\.surfaceTerms) where !surface.permits(item, with: terms) {
      return .failure(.notAllowedYet(item))
    }
    switch await observer.secrets(of: account) {
    case .failure(let missing):
      return .failure(.notHad(reason: missing.reason, isUnreachable: missing.isUnreachable))
    case .success(let secrets):
      return .success(AccountAsk(id: id, account: account, record: record, tokens: tokens, secrets: secrets))
    }
  }

  private func refresh(
    _ id: Identifier<Account>, _ account: Account, _ record: AccountRecord?, _ standing: AccountState
  ) async throws(StoreError) -> TokenResult {
    // Where somebody has signed in, the service's hosts were shown to that person.
    if record?.signIn == nil, let item = account.facts.hosts.subtracting(standing.surface.items).min() {
      return .notAllowedYet(item)
    }
    guard let service = observer.service else { return .noTokens }
    let ask: AccountAsk
    switch await self.ask(id, account, record, standing.tokens, allowing: standing.surface) {
    case .failure(.notAllowedYet(let item)): return .notAllowedYet(item)
    case .failure(.notHad(let reason, let isUnreachable)):
      return .failed(reason: reason, hint: nil, isUnreachable: isUnreachable, live: live(standing))
    case .success(let made): ask = made
    }
    if record?.signIn != nil {
      try await put(id) { $0.beginningRefresh(at: clock()) }
    }
    let answer = await service.refresh(ask)
    return try await settle(answer, ask, standing)
  }

  /// Writes the answer down before anybody uses it.
  private func settle(
    _ answer: RefreshAnswer, _ ask: AccountAsk, _ standing: AccountState
  ) async throws(StoreError) -> TokenResult {
    let (now, live) = (clock(), live(standing))
    let kept = try await write(.result) { store throws(StoreError) in
      let recorded = try store.recorded()
      let found = recorded.accounts[ask.id]
      func put(_ record: AccountRecord, _ tokens: AccountTokens?) throws(StoreError) {
        var record = record
        let serial = recorded.store?.serial ?? 0
        record.revision = serial + 1
        _ = try store.commit([.account(ask.id, record, tokens: tokens)], expecting: serial, at: now)
      }
      // Somebody who does not know this lock was faster: what is stored is newer than what was sent.
      if case .ended = answer, var record = found, record.facts == ask.account.facts, let signIn = record.signIn,
        signIn.epoch != ask.record?.signIn?.epoch, let newer = try store.tokens(of: ask.id),
        !newer.isSame(as: ask.tokens)
      {
        record.signIn?.refreshBegan = nil
        try put(record, nil)
        return newer.access.map { .refreshed($0) }
      }
      let answered = AnsweredRefresh(answer, to: ask, over: found, live: live, at: now)
      if let record = answered.record { try put(record, answered.tokens) }
      return answered.kept
    }
    return kept ?? AnsweredRefresh(answer, to: ask, over: nil, live: live, at: now).kept
  }

  /// The token that is there, while it is good: a service that is away for a moment stops nobody.
  private func live(_ standing: AccountState) -> SecretBox? {
    standing.record?.signIn?.isLive(at: clock()) == true ? standing.tokens?.access : nil
  }

  private func standing(of id: Identifier<Account>) throws(StoreError) -> AccountState {
    let store = try read()
    let recorded = try store.recorded()
    let record = recorded.accounts[id]
    return AccountState(
      record: record, tokens: record?.signIn == nil ? nil : try store.tokens(of: id), surface: recorded.surface)
  }

  private func put(
    _ id: Identifier<Account>, _ change: @escaping @Sendable (SignInRecord) -> SignInRecord
  ) async throws(StoreError) {
    let now = clock()
    _ = try await write(.intent) { store throws(StoreError) in
      let recorded = try store.recorded()
      guard var record = recorded.accounts[id], let signIn = record.signIn, let serial = recorded.store?.serial else {
        return nil
      }
      record.signIn = change(signIn)
      record.revision = serial + 1
      _ = try store.commit([.account(id, record, tokens: nil)], expecting: serial, at: now)
      return nil
    }
  }
}

/// The result of a request for an access token.
package enum TokenResult: Sendable {
  /// This one is good for some minutes at least.
  case fresh(SecretBox)
  /// This one has just been given.
  case refreshed(SecretBox)
  /// A person must sign in. The code is the service's own.
  case needsPerson(AccountNeed, code: String)
  /// The service refused the refresh for a reason that a new sign-in does not fix.
  case refused(AccountRefusal, AccountFacts.Service)
  /// There is none now, and nothing is lost. Reason and hint are sentences; the token that was there may be good for a
  /// little while.
  case failed(reason: String, hint: String?, isUnreachable: Bool, live: SecretBox?)
  /// Nothing was asked: the manifest may not touch this yet.
  case notAllowedYet(ExternalAccess)
  /// The account has none.
  case noTokens

  /// A token that can be used now: also the one that was there, where the service could not be reached for the next.
  package var usable: SecretBox? {
    switch self {
    case .fresh(let token), .refreshed(let token), .failed(_, _, isUnreachable: true, let token?): token
    case .needsPerson, .refused, .failed, .notAllowedYet, .noTokens: nil
    }
  }
}

/// The reason that an account cannot be asked about yet.
package enum MissingSecret: Error, Hashable, Sendable {
  /// The manifest may not touch this yet.
  case notAllowedYet(ExternalAccess)
  /// A secret was not to be had. The reason is a sentence.
  case notHad(reason: String, isUnreachable: Bool)
}

extension AccountTokens {
  fileprivate func isSame(as other: AccountTokens?) -> Bool {
    switch (refresh, other?.refresh) {
    case (let one?, let two?): one.equals(two)
    case (nil, nil): true
    default: false
    }
  }
}

extension TokenResult {
  /// The result of a step that refreshes; nil if nothing was asked.
  package func result(for account: Account) -> StepResult? {
    switch self {
    case .fresh, .refreshed: .done
    case .needsPerson(let need, let code): StepResult(refusing: account, need, code: code)
    case .refused(let refusal, let service): .failed(.refreshRefused(refusal, service))
    case .failed(let reason, let hint, let isUnreachable, _):
      .failed(.reported(reason: reason, hint: hint, isUnreachable: isUnreachable))
    case .notAllowedYet, .noTokens: nil
    }
  }
}
