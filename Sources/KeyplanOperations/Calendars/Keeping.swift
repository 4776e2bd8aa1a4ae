package import KeyplanApply
package import KeyplanCore
package import KeyplanReporting
package import KeyplanSecrets
package import KeyplanStore

extension Accounts {
  /// How long somebody else's refresh is waited for.
  private static let patience = Duration.seconds(120)
  /// How long an apply is waited for once the service has answered: a token that was rotated must not be lost to a slow one.
  private static let lastPatience = Duration.seconds(600)

  /// Has an access token that is good for some minutes, or says why there is none.
  ///
  /// An interruption waits for the answer: a request that was sent cannot be taken back, and its answer may be the only one
  /// that has the next token.
  package func keep(
    _ id: Identifier<Account>, isForced: Bool = false, insteadOf refused: SecretBox? = nil, timeout: Duration?
  ) async throws(Failure) -> TokenResult {
    if !isForced, refused == nil,
      let token = try await workspace.place.waiting(in: world, { () throws(Failure) in try present(id) })
    {
      return .fresh(token)
    }
    let lock = try await lock(id, timeout)
    let keeping = keeping(timeout, holding: [lock])
    defer { withExtendedLifetime(lock) {} }
    let display = world.console.activity(LiveLine(waiting: ["refreshing calendar.\(id)"]))
    let result = try await display.showing { () async throws(Failure) in
      await world.console.cancelling {
        await Task { () async -> Result<TokenResult, StoreError> in
          do throws(StoreError) {
            return .success(try await keeping.keep(id, isForced: isForced, insteadOf: refused))
          } catch {
            return .failure(error)
          }
        }
        .value
      }
    }
    switch result.value {
    case .success(let kept): return kept
    case .failure(let error): throw Failure(error)
    }
  }

  /// The token that is stored, while it has time: nobody needs a lock to read it.
  private func present(_ id: Identifier<Account>) throws(Failure) -> SecretBox? {
    guard let account = workspace.manifest.accounts[id], let store = workspace.store else { return nil }
    let planned = PlannedAccount(id, account, in: workspace.recorded)
    guard planned.need(nil, at: world.now) == nil, planned.record?.signIn?.isDue(at: world.now) == false else {
      return nil
    }
    return try Failure.from { () throws(StoreError) in try store.tokens(of: id) }?.access
  }

  package func lock(_ id: Identifier<Account>, _ timeout: Duration?) async throws(Failure) -> StoreLock {
    let display = world.console.activity(LiveLine(waiting: ["waiting for the lock of calendar.\(id)"]))
    return try await display.showing { () async throws(Failure) in
      try await world.console.ending { [place = workspace.place, world] () async throws(Failure) in
        try await Failure.locking { () async throws(StoreError) in
          try await StoreLock.acquire(
            account: id, of: place.location, command: "keyplan calendar", job: world.job, since: world.now,
            timeout: timeout ?? Self.patience)
        }
      }
    }
  }

  /// - Parameter locks: without which nothing is written any more to a shared store once another has taken one.
  package func keeping(_ timeout: Duration? = nil, holding locks: [StoreLock] = []) -> TokenProvider {
    let (place, world) = (workspace.place, workspace.world)
    let identities = workspace.identities
    let patience = timeout ?? Self.patience
    let open: @Sendable (SealedStore.Access, StoreLock?) throws(StoreError) -> SealedStore = {
      access, lock throws(StoreError) in
      guard let identities else { throw StoreError(.noStore, "There is no store at \(place.shown).") }
      do throws(Failure) {
        return try OpenStore.open(place, identities, access, under: lock, holding: locks)
      } catch {
        throw StoreError(error.status == .storeRefused ? .anotherStore : .io, error.detail, hint: error.hint)
      }
    }
    return TokenProvider(
      observer: workspace.observer(showing: world.console.activity(LiveLine())),
      manifest: workspace.manifest, clock: { world.now },
      read: { () throws(StoreError) in try open(.reading, nil) },
      write: { writing, work throws(StoreError) in
        let lock = try await StoreLock.acquire(
          for: place.location, command: "keyplan calendar", job: world.job, since: world.now,
          timeout: writing == .intent ? patience : Self.lastPatience)
        defer { withExtendedLifetime(lock) {} }
        return try work(try open(.writing, lock))
      })
  }
}

extension Failure {
  /// Takes an account's lock, which is not the store's.
  package static func locking<Value>(_ work: () async throws(StoreError) -> Value) async throws(Failure) -> Value {
    do throws(StoreError) { return try await work() } catch {
      guard error.code == .locked else { throw Failure(error) }
      throw Failure(.locked, "Account is locked", error.detail, hint: error.hint)
    }
  }

  /// Why there is no token, in words for whoever asked for one.
  package init(_ kept: TokenResult, _ id: Identifier<Account>, _ account: Account?) {
    switch kept {
    case .fresh, .refreshed, .noTokens:
      self.init(.failed, "No token", "The account \"\(id)\" has no tokens: it is asked with a password.")
    case .needsPerson(let need, let code):
      let said = code.isEmpty ? "" : " The service said: \(code)."
      self.init(
        .personNeeded, "A person is needed", "calendar.\(id): \(AccountMessages.need(need)).\(said)",
        hint: account.map { AccountMessages.renewal(id, $0) } ?? "keyplan calendar sign-in \(id)")
    case .failed(let reason, let hint, let isUnreachable, _):
      self.init(
        isUnreachable ? .unreachable : .failed, isUnreachable ? "Service unreachable" : "No token given",
        "calendar.\(id): \(reason)\(isUnreachable ? " What is stored stays." : "")", hint: hint)
    case .notAllowedYet(let item):
      self.init(
        .failed, "Not allowed yet", "calendar.\(id) needs \(item), which nobody has allowed yet.",
        hint: "keyplan apply")
    }
  }
}
