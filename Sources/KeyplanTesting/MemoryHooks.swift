package import KeyplanModel
internal import KeyplanPorts
import Synchronization

/// Hooks that run nothing, for tests: it records the calls, and fails on request.
package final class MemoryHooks: HookRunning {
  private let state = Mutex((calls: [Call](), failure: AccessFailure?.none))
  private let onRun: @Sendable (Reference) -> Void

  /// A run of a hook.
  package struct Call: Hashable, Sendable {
    /// The program and its arguments.
    package let command: [String]
    /// The variables that keyplan adds.
    package let variables: [String: String]
  }

  /// - Parameter onRun: called when a hook runs and does not fail.
  package init(onRun: @escaping @Sendable (Reference) -> Void = { _ in }) { self.onRun = onRun }

  /// The runs until now, with those that failed.
  package var calls: [Call] { state.withLock { $0.calls } }

  /// Makes the next runs fail; nil ends the failure.
  package func fail(_ failure: AccessFailure?) { state.withLock { $0.failure = failure } }

  /// Records the call.
  package func run(_ hook: Reference, with variables: [String: String]) async throws(AccessFailure) {
    let failure = state.withLock { state in
      state.calls.append(Call(command: hook.arguments, variables: variables))
      return state.failure
    }
    if let failure { throw failure }
    onRun(hook)
  }
}
