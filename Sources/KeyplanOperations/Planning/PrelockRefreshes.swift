package import KeyplanApply
package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanStore

/// The refreshes of a plan that depend on no other step. They run under their accounts' locks before the
/// store is locked, so that a slow service does not block other writers.
package struct PrelockRefreshes: Sendable {
  private let workspace: Workspace
  private let provider: TokenProvider
  private let steps: [(id: Identifier<Account>, account: Account, isForced: Bool)]

  /// The maximum number of concurrent refreshes, as in an apply.
  private static let bound = 8

  /// - Parameter locks: those of the accounts.
  package init(_ planning: PlanRun, holding locks: [StoreLock], timeout: Duration) {
    workspace = planning.workspace
    // They also wait for each other, for as long as a commit takes.
    provider = Accounts(of: workspace).tokenProvider(max(timeout, .seconds(30)), holding: locks)
    let (manifest, recorded) = (workspace.manifest, workspace.recorded)
    let planned = Set(planning.plan.steps.map(\.address))
    steps = planning.plan.steps.compactMap { step in
      guard case .outside(.refresh(let id, let refresh)) = step.effect, refresh.reason != .first,
        planned.isDisjoint(with: step.after), let account = manifest.accounts[id], account.facts == refresh.facts
      else { return nil }
      // Another process may have replaced the rejected token.
      return (id, account, refresh.reason == .refused && recorded.accounts[id]?.signIn?.epoch == refresh.epoch)
    }
  }

  /// Runs the refreshes and returns their results. An interruption waits for the answer to a request: it may be the only one that has the
  /// next token.
  package func made() async throws(Failure) -> [Identifier<Account>: StepResult] {
    guard !steps.isEmpty else { return [:] }
    let line = LiveLine(waiting: steps.map { "refreshing calendar.\($0.id)" })
    let display = workspace.world.console.activity(line)
    let (results, wasInterrupted) = try await display.showing { () async throws(Failure) in
      await workspace.world.console.cancelling { await Task { await all() }.value }
    }
    guard !wasInterrupted else {
      throw Failure(.interrupted, "Interrupted", "Tokens were refreshed. Nothing else was changed.")
    }
    do throws(StoreError) { return try results.get() } catch { throw Failure(error) }
  }

  private func all() async -> Result<[Identifier<Account>: StepResult], StoreError> {
    await withTaskGroup(of: (Identifier<Account>, Result<StepResult?, StoreError>).self) { group in
      var (results, trouble): ([Identifier<Account>: StepResult], StoreError?) = ([:], nil)
      func take(_ ended: (Identifier<Account>, Result<StepResult?, StoreError>)) {
        switch ended.1 {
        case .success(let result): results[ended.0] = result
        case .failure(let error): trouble = error
        }
      }
      for (index, step) in steps.enumerated() {
        if index >= Self.bound, let ended = await group.next() { take(ended) }
        group.addTask { (step.id, await made(step.id, step.account, isForced: step.isForced)) }
      }
      for await ended in group { take(ended) }
      return trouble.map { .failure($0) } ?? .success(results)
    }
  }

  private func made(
    _ id: Identifier<Account>, _ account: Account, isForced: Bool
  ) async -> Result<StepResult?, StoreError> {
    do throws(StoreError) {
      return .success(try await provider.keep(id, isForced: isForced).result(for: account))
    } catch {
      return .failure(error)
    }
  }
}
