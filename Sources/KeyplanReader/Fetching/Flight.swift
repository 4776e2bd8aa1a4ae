internal import Synchronization

/// One fetch of an item, for all tasks that wait for it. A cancelled task stops waiting; the fetch continues for the others.
final class Flight: Sendable {
  private enum State {
    case underWay([Int: CheckedContinuation<FetchOutcome?, Never>])
    case landed(FetchOutcome)
  }

  private let state = Mutex((state: State.underWay([:]), next: 0))

  /// Nil if the calling task is cancelled first.
  func outcome() async -> FetchOutcome? {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early: FetchOutcome?? = state.withLock { state in
          switch state.state {
          case .landed(let outcome): return .some(outcome)
          case .underWay(var waiting):
            // Looked at under the lock: a cancellation before is seen here, one afterwards finds the continuation.
            guard !Task.isCancelled else { return .some(nil) }
            waiting[id] = continuation
            state.state = .underWay(waiting)
            return nil
          }
        }
        if let early { continuation.resume(returning: early) }
      }
    } onCancel: {
      let left: CheckedContinuation<FetchOutcome?, Never>? = state.withLock { state in
        guard case .underWay(var waiting) = state.state else { return nil }
        defer { state.state = .underWay(waiting) }
        return waiting.removeValue(forKey: id)
      }
      left?.resume(returning: nil)
    }
  }

  func land(_ outcome: FetchOutcome) {
    let waiting: [CheckedContinuation<FetchOutcome?, Never>] = state.withLock { state in
      guard case .underWay(let waiting) = state.state else { return [] }
      state.state = .landed(outcome)
      return Array(waiting.values)
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
  }
}

/// The result of a fetch.
struct FetchOutcome: Sendable {
  /// The value in memory afterwards.
  let value: CachedValue?
  /// The reason that it was not confirmed; nil if it was, or if it is young enough.
  let error: KeyError?
  /// Whether a source was asked, or may not be asked now: asking again at once would change nothing.
  let isFinal: Bool
}
