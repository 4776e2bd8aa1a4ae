import Synchronization

/// Lets a limited number of tasks through at the same time, in the order in which they arrive.
final class Turnstile: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(atOnce limit: Int) { state = Mutex(State(free: max(1, limit))) }

  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func leave() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

/// Results that are asked for once and shared by all tasks that need them.
actor SharedResults<Value: Sendable> {
  private var tasks: [String: Task<Result<Value, RemoteFailure>, Never>] = [:]

  func value(
    _ key: String, _ make: @escaping @Sendable () async -> Result<Value, RemoteFailure>
  ) async -> Result<Value, RemoteFailure> {
    if let task = tasks[key] { return await task.value }
    let task = Task { await make() }
    tasks[key] = task
    return await task.value
  }

  /// What was asked for under this key, if it has been.
  func known(_ key: String) async -> Value? {
    guard let task = tasks[key] else { return nil }
    return try? await task.value.get()
  }
}
