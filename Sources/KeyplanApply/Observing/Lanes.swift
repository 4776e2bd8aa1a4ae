internal import KeyplanCore
internal import Synchronization

/// The lanes to the hosts that are asked, one for each host, so that a service is not asked more at a time than its description
/// says, whatever leads there.
final class Lanes: Sendable {
  private let lanes = Mutex<[String: Lane]>([:])

  /// The lane to where a backend is asked; nil where nothing limits it. The narrowest of the descriptions for a host counts.
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

  /// A target that keeps to its lane, and to the places that its connection leads to.
  func guarding(_ target: any SecretTarget) -> any SecretTarget {
    let lane = lane(of: target.backend, target.connection)
    return lane == nil && target.connection == nil ? target : GuardedTarget(target: target, lane: lane)
  }
}

/// Lets so many tasks pass at a time; the others wait for their turn, in the order in which they came.
final class Lane: Sendable {
  private let state = Mutex(State())

  private struct State {
    var width = Int.max
    var under = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// How many of them have passed.
    var next = 0
  }

  func narrow(to width: Int) { state.withLock { $0.width = min($0.width, width) } }

  /// Calls as soon as there is room.
  func pass<Answer: Sendable, Failure: Error>(
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

  /// Hands the place over to who has waited longest.
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
