import Synchronization

/// One sending of a request, from its place in the queue to its outcome. The first of the worker and the cancelled task
/// to end it is the one that counts.
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

  /// - Parameter deadline: the exchange's; `nil` if it begins with this attempt.
  init(_ request: HTTPRequest, _ settings: HTTPSettings, until deadline: ContinuousClock.Instant?) {
    self.request = request
    self.settings = settings
    until = Mutex(deadline)
  }

  var host: String { request.address.host }

  /// Set once it runs: waiting for a thread is not the service's fault.
  var deadline: ContinuousClock.Instant? { until.withLock { $0 } }

  /// Notes who waits for the outcome.
  /// - Returns: whether it is still wanted.
  func wait(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
    let isWanted = state.withLock { state in
      guard case .made = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !isWanted { continuation.resume(returning: .failure(HTTPError(.cancelled, at: host))) }
    return isWanted
  }

  /// Carries it out on this thread, unless nobody wants it any more.
  func run(on line: CurlHandle) -> Outcome? {
    line.clear()
    let isWanted = state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .running(continuation, line)
      return true
    }
    guard isWanted else { return nil }
    // The line may carry another attempt by the time this one is cancelled.
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
    return line.perform(request, settings, within: deadline - now)
  }

  /// Ends it for whoever waits; a second end is none.
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

  /// Ends it, and its transfer as soon as libcurl looks up.
  func cancel() {
    state.withLock { if case .running(_, let line) = $0 { line.cancel() } }
    end(.failure(HTTPError(.cancelled, at: host)))
  }
}
