package import KeyplanApply
package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanSecrets
package import KeyplanStore

extension Accounts {
  /// The maximum wait for a refresh by another process.
  private static let patience = Duration.seconds(120)
  /// The maximum wait for an apply once the service has answered: a rotated token must not be lost to a slow apply.
  private static let lastPatience = Duration.seconds(600)

  /// Returns an access token that is valid for some minutes, or the reason that there is none.
  ///
  /// An interruption waits for the answer: a request cannot be undone once it is sent, and its answer may be the only one that has the next
  /// token.
  package func keep(
    _ id: Identifier<Account>, isForced: Bool = false, insteadOf refused: SecretBox? = nil, timeout: Duration?
  ) async throws(Failure) -> TokenResult {
    if !isForced, refused == nil,
      let token = try await workspace.place.waiting(in: world, { () throws(Failure) in try present(id) })
    {
      return .fresh(token)
    }
    let lock = try await lock(id, timeout)
    let provider = tokenProvider(timeout, holding: [lock])
    defer { withExtendedLifetime(lock) {} }
    let display = world.console.activity(LiveLine(waiting: ["refreshing calendar.\(id)"]))
    let result = try await display.showing { () async throws(Failure) in
      await world.console.cancelling {
        await Task { () async -> Result<TokenResult, StoreError> in
          do throws(StoreError) {
            return .success(try await provider.keep(id, isForced: isForced, insteadOf: refused))
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

  /// The stored token, if it is still valid. Reading it requires no lock.
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

  /// - Parameter locks: the locks whose loss prevents further writes to a shared store.
  package func tokenProvider(_ timeout: Duration? = nil, holding locks: [StoreLock] = []) -> TokenProvider {
    let (place, world) = (workspace.place, workspace.world)
    let identities = workspace.identities
    let patience = timeout ?? Self.patience
    let open: @Sendable (SealedStore.Access, StoreLock?) throws(StoreError) -> SealedStore = {
      access, lock throws(StoreError) in
      guard let identities else { throw StoreError(.noStore, "The store at \(place.shown) does not exist.") }
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
  static func locking<Value>(_ work: () async throws(StoreError) -> Value) async throws(Failure) -> Value {
    do throws(StoreError) { return try await work() } catch {
      guard error.code == .locked else { throw Failure(error) }
      throw Failure(.locked, "Account is locked", error.detail, hint: error.hint)
    }
  }

  /// The reason that there is no token.
  package init(_ kept: TokenResult, _ id: Identifier<Account>, _ account: Account?) {
    switch kept {
    case .fresh, .refreshed, .noTokens:
      self.init(.failed, "No token", "The account \"\(id)\" uses a password, not tokens.")
    case .needsPerson(let need, let code):
      let said = code.isEmpty ? "" : " The service reported: \(code)."
      self.init(
        .personNeeded, "Sign-in required", "calendar.\(id): \(AccountMessages.need(need)).\(said)",
        hint: account.map { AccountMessages.renewal(id, $0) } ?? "keyplan calendar sign-in \(id)")
    case .refused(let refusal, let service):
      self.init(
        .failed, "Service refused a refresh", "calendar.\(id): \(AccountMessages.refused(refusal, service)).",
        hint: refusal.reason.hint)
    case .failed(let reason, let hint, let isUnreachable, _):
      self.init(
        isUnreachable ? .unreachable : .failed, isUnreachable ? "Service unreachable" : "No token issued",
        "calendar.\(id): \(reason)\(isUnreachable ? " The stored tokens were kept." : "")", hint: hint)
    case .notAllowedYet(let item):
      self.init(
        .failed, "Not approved yet", "calendar.\(id) uses \(item), which has not been approved yet.",
        hint: "keyplan apply")
    }
  }
}
