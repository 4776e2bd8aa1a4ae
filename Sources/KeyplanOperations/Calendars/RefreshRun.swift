package import KeyplanApply
package import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// Refreshes accounts in sequence and reports each. A failure does not stop the others.
package struct RefreshRun {
  private let accounts: Accounts
  private let timeout: Duration?

  package init(_ accounts: Accounts, timeout: Duration?) {
    self.accounts = accounts
    self.timeout = timeout
  }

  /// Refreshes one account regardless of its token's remaining lifetime.
  package func one(_ id: Identifier<Account>) async throws(Failure) -> [RefreshRow] {
    rows([(id, await kept(id, isForced: true))])
  }

  /// Refreshes all accounts whose tokens have expired, expire soon, or are rejected.
  /// - Parameter patience: outages shorter than this do not count.
  package func all(lettingPass patience: Interval?) async throws(Failure) -> [RefreshRow] {
    let manifest = accounts.workspace.manifest
    let findings = try await accounts.findings()
    var results: [(Identifier<Account>, Result<TokenResult, Failure>)] = []
    for (id, account) in manifest.accounts.sorted(by: { $0.key < $1.key }) where account.signIn.hasTokens {
      results.append((id, await kept(id, findings[id])))
      if Task.isCancelled { break }
    }
    return rows(results, lettingPass: patience)
  }

  private func kept(
    _ id: Identifier<Account>, isForced: Bool = false, _ finding: AccountFinding? = nil
  ) async -> Result<TokenResult, Failure> {
    do throws(Failure) {
      if case .otherAccount = finding, let need = accounts.need(id, finding) {
        return .success(.needsPerson(need, code: ""))
      }
      let kept = try await accounts.keep(id, isForced: isForced || finding == .refused, timeout: timeout)
      // A new token does not show its account either, so the service is queried.
      guard case .refreshed(let token) = kept, case .otherAccount(let name) = try await accounts.finding(id, token),
        let account = accounts.workspace.manifest.accounts[id]
      else { return .success(kept) }
      return .success(.needsPerson(AccountNeed(facts: account.facts, reason: .otherAccount, found: name), code: ""))
    } catch {
      return .failure(error)
    }
  }

  private func rows(
    _ results: [(Identifier<Account>, Result<TokenResult, Failure>)], lettingPass patience: Interval? = nil
  ) -> [RefreshRow] {
    var rows = results.map { id, result in
      RefreshRow(id, result, accounts.workspace.manifest.accounts[id])
    }
    if let patience { tolerateOutages(&rows, for: patience) }
    return rows
  }

  /// Marks the outages that have not lasted long enough to count, as `drift --unreachable-after` has it.
  private func tolerateOutages(_ rows: inout [RefreshRow], for patience: Interval) {
    guard let store = accounts.workspace.recorded.store else { return }
    let world = accounts.world
    let away = Set(rows.filter { $0.failure?.status == .unreachable }.map { Address.calendar($0.id) })
    let outages = Outages.noting(at: Outages.path(refreshing: store, in: world), in: world) { earlier in
      Outages(of: away, after: earlier, at: world.now)
    }
    let since = outages?.since ?? [:]
    for index in rows.indices {
      guard let began = since[.calendar(rows[index].id)], world.now < began + patience else { continue }
      rows[index].outage = (began, began + patience)
    }
  }
}

extension RefreshRow {
  package init(_ id: Identifier<Account>, _ result: Result<TokenResult, Failure>, _ account: Account?) {
    switch result {
    case .success(.fresh): self.init(id, isRefreshed: false, nil)
    case .success(.refreshed): self.init(id, isRefreshed: true, nil)
    case .success(let kept): self.init(id, isRefreshed: false, Failure(kept, id, account))
    case .failure(let error): self.init(id, isRefreshed: false, error)
    }
  }
}
