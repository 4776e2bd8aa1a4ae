internal import KeyplanCore
internal import Synchronization

/// One lane for each host, so that all connections to it together keep to the concurrency that its description allows.
final class Lanes: Sendable {
  private let lanes = Mutex<[String: Lane]>([:])

  /// The lane for a backend's host; nil if requests are not limited. If several descriptions name a host, the lowest limit applies.
  func lane(of backend: BackendDescription, _ connection: Connection?) -> Lane? {
    guard let pace = backend.pace else { return nil }
    let host = connection?.surface?.description ?? backend.name
    return lanes.withLock { lanes in
      let lane = lanes[host] ?? Lane()
      lanes[host] = lane
      lane.narrow(to: pace.concurrency)
      return lane
    }
  }

  /// Limits a target to its lane and to the places of its connection.
  func guarding(_ target: any SecretTarget) -> any SecretTarget {
    let lane = lane(of: target.backend, target.connection)
    return lane == nil && target.connection == nil ? target : GuardedTarget(target: target, lane: lane)
  }
}

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

  /// - Parameter width: how many tasks may run at the same time; at least one.
  package init(width: Int = .max) { state = Mutex(State(width: max(1, width))) }

  func narrow(to width: Int) { state.withLock { $0.width = min($0.width, width) } }

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
