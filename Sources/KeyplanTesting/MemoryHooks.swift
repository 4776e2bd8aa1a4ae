package import KeyplanModel
internal import KeyplanPorts
import Synchronization

/// Hooks that run nothing, for tests: it notes the calls, and fails where it is told to.
package final class MemoryHooks: HookRunning {
  private let state = Mutex((calls: [Call](), failure: AccessFailure?.none))
  private let onRun: @Sendable (Reference) -> Void

  /// A run of a hook.
  package struct Call: Hashable, Sendable {
    /// The program and its arguments.
    package let command: [String]
    /// What keyplan adds to its variables.
    package let variables: [String: String]
  }

  /// - Parameter onRun: called when a hook runs and does not fail.
  package init(onRun: @escaping @Sendable (Reference) -> Void = { _ in }) { self.onRun = onRun }

  /// The runs until now, with those that failed.
  package var calls: [Call] { state.withLock { $0.calls } }

  /// Has the next runs fail; nil for the contrary.
  package func fail(_ failure: AccessFailure?) { state.withLock { $0.failure = failure } }

  /// Notes the call.
  package func run(_ hook: Reference, with variables: [String: String]) async throws(AccessFailure) {
    let failure = state.withLock { state in
      state.calls.append(Call(command: hook.arguments, variables: variables))
      return state.failure
    }
    if let failure { throw failure }
    onRun(hook)
  }
}
