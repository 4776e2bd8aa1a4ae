internal import Synchronization

/// Limits the number of concurrent tasks. The others wait in order of arrival.
package final class Lane: Sendable {
  private let state: Mutex<State>

  private struct State {
    var width: Int
    var under = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The number of waiting tasks that have been admitted.
    var next = 0
  }

  /// - Parameter width: the number of tasks that may run at the same time; at least one.
  package init(width: Int = .max) { state = Mutex(State(width: max(1, width))) }

  package func narrow(to width: Int) { state.withLock { $0.width = min($0.width, width) } }

  /// Waits for a free place, then calls `ask`.
  package func pass<Answer: Sendable, Failure: Error>(
    _ ask: () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    await enter()
    defer { leave() }
    return try await ask()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.under >= state.width else {
          state.under += 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Admits the task that has waited longest.
  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.next < state.waiting.count else {
        state.under -= 1
        (state.waiting, state.next) = ([], 0)
        return nil
      }
      state.next += 1
      return state.waiting[state.next - 1]
    }
    next?.resume()
  }
}
