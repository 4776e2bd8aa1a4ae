internal import Synchronization

/// The changes that one sequence has not given out yet.
final class Subscription: Sendable {
  private struct State {
    var order: [ReadItem] = []
    var changes: [ReadItem: KeyChange] = [:]
    /// The version that was seen last; nil for none, and no entry before anything was seen.
    var seen: [ReadItem: String?] = [:]
    var waiting: CheckedContinuation<KeyChange?, Never>?
    var polls: [ReadItem: Task<Void, Never>] = [:]

    mutating func take() -> KeyChange? {
      guard !order.isEmpty else { return nil }
      return changes.removeValue(forKey: order.removeFirst())
    }
  }

  let items: Set<ReadItem>
  private let state: Mutex<State>

  /// - Parameter seen: the versions that are known to the subscriber.
  init(_ items: Set<ReadItem>, seen: [ReadItem: String]) {
    self.items = items
    state = Mutex(State(seen: seen.mapValues { $0 }))
  }

  deinit {
    for poll in state.withLock({ $0.polls }).values { poll.cancel() }
  }

  /// Keeps an item up to date from now on, in place of the task that did so before.
  func keep(_ item: ReadItem, by poll: Task<Void, Never>) {
    state.withLock { $0.polls.updateValue(poll, forKey: item) }?.cancel()
  }

  /// Compares the value served now with the one seen last.
  func note(_ item: ReadItem, _ value: CachedValue?, _ reason: KeyError.Reason?) {
    guard items.contains(item) else { return }
    let waiting: (CheckedContinuation<KeyChange?, Never>, KeyChange)? = state.withLock { state in
      let before = state.seen.updateValue(value?.version, forKey: item)
      guard let before, before != value?.version else { return nil }
      let kind: KeyChange.Kind = value == nil ? .removed(reason ?? .notFound) : .changed
      let change = KeyChange(item, kind, name: value?.content.name, provider: value?.content.provider)
      if state.changes.updateValue(change, forKey: item) == nil { state.order.append(item) }
      guard let waiting = state.waiting, let next = state.take() else { return nil }
      state.waiting = nil
      return (waiting, next)
    }
    if let (waiting, change) = waiting { waiting.resume(returning: change) }
  }

  func next() async -> KeyChange? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early: KeyChange?? = state.withLock { state in
          guard !Task.isCancelled else { return .some(nil) }
          if let change = state.take() { return .some(change) }
          // Two tasks that read one sequence: the earlier one gives way.
          let other = state.waiting
          state.waiting = continuation
          other?.resume(returning: nil)
          return nil
        }
        if let early { continuation.resume(returning: early) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume(returning: nil)
    }
  }
}
