import KeyplanThreads
import Synchronization

/// Threads that wait for the network, so that Swift's own threads need not. They are started on demand up to a limit;
/// the handles with their open connections are kept.
final class Workers: Sendable {
  private struct State {
    /// A FIFO queue: taken from the end of `next`, which is refilled from `later`.
    var next: [Attempt] = []
    var later: [Attempt] = []
    var running = 0
    var idle: [CurlHandle] = []

    mutating func pop() -> Attempt? {
      if next.isEmpty {
        next = later.reversed()
        later.removeAll(keepingCapacity: true)
      }
      return next.popLast()
    }
  }

  private let limit: Int
  private let state = Mutex(State())

  init(atOnce limit: Int) { self.limit = max(1, limit) }

  /// Performs an attempt on one of the threads when its turn comes.
  func perform(_ attempt: Attempt) async throws(HTTPError) -> HTTPResponse {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if attempt.wait(continuation) { enqueue(attempt) }
      }
    } onCancel: {
      attempt.cancel()
    }
    return try outcome.get()
  }

  private func enqueue(_ attempt: Attempt) {
    let needsThread = state.withLock { state in
      state.later.append(attempt)
      guard state.running < limit else { return false }
      state.running += 1
      return true
    }
    guard needsThread else { return }
    do throws(SystemThread.Refusal) {
      try SystemThread { self.work() }.leave()
    } catch {
      drain(because: .failed(Int(error.number)))
    }
  }

  private func work() {
    let handle: CurlHandle
    do throws(HTTPError) {
      if let kept = state.withLock({ $0.idle.popLast() }) { handle = kept } else { handle = try CurlHandle() }
    } catch {
      return drain(because: error.code)
    }
    var next = takeNext(keeping: handle)
    while let attempt = next {
      let outcome = attempt.run(on: handle)
      // Before the attempt ends, so that a subsequent request finds this handle with its connection.
      next = takeNext(keeping: handle)
      if let outcome { attempt.end(outcome) }
    }
  }

  /// Ends all waiting attempts with an error; later ones try again.
  private func drain(because code: HTTPError.Code) {
    while let attempt = takeNext(keeping: nil) { attempt.end(.failure(HTTPError(code, at: attempt.host))) }
  }

  /// The next attempt; if there is none, this thread's handle becomes idle.
  private func takeNext(keeping handle: CurlHandle?) -> Attempt? {
    state.withLock { state in
      if let attempt = state.pop() { return attempt }
      state.running -= 1
      if let handle { state.idle.append(handle) }
      return nil
    }
  }
}
