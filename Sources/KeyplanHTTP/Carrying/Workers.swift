import KeyplanThreads
import Synchronization

/// Threads that wait for the network, so that none of Swift's own does. There are as many as there is work, up to a
/// limit; what lasts are the lines, with the connections that they keep open.
final class Workers: Sendable {
  private struct State {
    /// First in, first out: taken from the end of `next`, which is refilled from `later`.
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

  /// Carries an attempt out on one of the threads, when its turn comes.
  func carryOut(_ attempt: Attempt) async throws(HTTPError) -> HTTPResponse {
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
    let isShort = state.withLock { state in
      state.later.append(attempt)
      guard state.running < limit else { return false }
      state.running += 1
      return true
    }
    guard isShort else { return }
    do throws(SystemThread.Refusal) {
      try SystemThread { self.work() }.leave()
    } catch {
      drain(because: .failed(Int(error.number)))
    }
  }

  private func work() {
    let line: CurlHandle
    do throws(HTTPError) {
      if let kept = state.withLock({ $0.idle.popLast() }) { line = kept } else { line = try CurlHandle() }
    } catch {
      return drain(because: error.code)
    }
    var next = takeNext(keeping: line)
    while let attempt = next {
      let outcome = attempt.run(on: line)
      // First, so that whoever asks again at once finds this line and its connection.
      next = takeNext(keeping: line)
      if let outcome { attempt.end(outcome) }
    }
  }

  /// Ends what waits; whatever comes later tries anew.
  private func drain(because code: HTTPError.Code) {
    while let attempt = takeNext(keeping: nil) { attempt.end(.failure(HTTPError(code, at: attempt.host))) }
  }

  /// The next attempt; or none, and this thread's line waits for another one.
  private func takeNext(keeping line: CurlHandle?) -> Attempt? {
    state.withLock { state in
      if let attempt = state.pop() { return attempt }
      state.running -= 1
      if let line { state.idle.append(line) }
      return nil
    }
  }
}
