import Synchronization

/// One transmission of a request, from the queue to its outcome. It ends only once, by the worker or by the cancelled
/// task.
final class Attempt: Sendable {
  typealias Outcome = Result<HTTPResponse, HTTPError>

  private enum State {
    case made
    case waiting(CheckedContinuation<Outcome, Never>)
    case running(CheckedContinuation<Outcome, Never>, CurlHandle)
    case ended
  }

  private let request: HTTPRequest
  private let settings: HTTPSettings
  private let state = Mutex(State.made)
  private let until: Mutex<ContinuousClock.Instant?>

  /// - Parameter deadline: the deadline of the exchange; `nil` if it begins with this attempt.
  init(_ request: HTTPRequest, _ settings: HTTPSettings, until deadline: ContinuousClock.Instant?) {
    self.request = request
    self.settings = settings
    until = Mutex(deadline)
  }

  var host: String { request.address.host }

  /// Set when the attempt starts: the time in the queue does not count.
  var deadline: ContinuousClock.Instant? { until.withLock { $0 } }

  /// Sets the continuation that waits for the outcome.
  /// - Returns: false if the attempt has been cancelled.
  func wait(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
    let isWanted = state.withLock { state in
      guard case .made = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !isWanted { continuation.resume(returning: .failure(HTTPError(.cancelled, at: host))) }
    return isWanted
  }

  /// Performs the request on this thread, unless it has been cancelled.
  func run(on handle: CurlHandle) -> Outcome? {
    handle.clear()
    let isWanted = state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .running(continuation, handle)
      return true
    }
    guard isWanted else { return nil }
    // When this attempt is cancelled later, the handle may be in use for another one.
    defer {
      state.withLock { state in
        if case .running(let continuation, _) = state { state = .waiting(continuation) }
      }
    }
    let now = ContinuousClock.now
    let deadline = until.withLock { until in
      let deadline = until ?? now + settings.deadline
      until = deadline
      return deadline
    }
    return handle.perform(request, settings, within: deadline - now)
  }

  /// Resumes the waiting task, once; later calls do nothing.
  func end(_ outcome: Outcome) {
    let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
      defer { state = .ended }
      switch state {
      case .waiting(let continuation): return continuation
      case .running(let continuation, _): return continuation
      case .made, .ended: return nil
      }
    }
    continuation?.resume(returning: outcome)
  }

  /// Ends the attempt at once, and its transfer when libcurl next calls its progress callback.
  func cancel() {
    state.withLock { if case .running(_, let handle) = $0 { handle.cancel() } }
    end(.failure(HTTPError(.cancelled, at: host)))
  }
}
