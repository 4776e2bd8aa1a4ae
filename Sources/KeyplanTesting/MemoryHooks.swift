public import KeyplanApply
public import KeyplanCore
import Synchronization

/// Hooks that run nothing, for tests: it notes the calls, and fails where it is told to.
public final class MemoryHooks: HookRunning {
  private let state = Mutex((calls: [Call](), failure: AccessFailure?.none))
  private let onRun: @Sendable (Reference) -> Void

  /// A run of a hook.
  public struct Call: Hashable, Sendable {
    /// The program and its arguments.
    public let command: [String]
    /// What keyplan adds to its variables.
    public let variables: [String: String]
  }

  /// - Parameter onRun: called when a hook runs and does not fail.
  public init(onRun: @escaping @Sendable (Reference) -> Void = { _ in }) { self.onRun = onRun }

  /// The runs until now, with those that failed.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// Has the next runs fail; nil for the contrary.
  public func fail(_ failure: AccessFailure?) { state.withLock { $0.failure = failure } }

  /// Notes the call.
  public func run(_ hook: Reference, with variables: [String: String]) async throws(AccessFailure) {
    let failure = state.withLock { state in
      state.calls.append(Call(command: hook.arguments, variables: variables))
      return state.failure
    }
    if let failure { throw failure }
    onRun(hook)
  }
}
