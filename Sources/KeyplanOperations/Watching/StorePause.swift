internal import KeyplanStore
internal import Synchronization

/// The time between two looks at a store: an interval, or less if its server announces a commit.
final class StorePause: Sendable {
  /// The alarm that ends the current pause. Separate, because the listener's thread may outlive the last reference to `StorePause`.
  private final class Alarm: Sendable {
    private struct State {
      var hasRung = false
      var sleep: Task<Void, Never>?
    }

    private let state = Mutex(State())

    func ring() {
      state.withLock { state in
        state.hasRung = true
        state.sleep?.cancel()
      }
    }

    func sleep(_ interval: Duration) async {
      let sleep: Task<Void, Never>? = state.withLock { state in
        guard !state.hasRung else { return nil }
        let sleep = Task { _ = try? await Task.sleep(for: interval) }
        state.sleep = sleep
        return sleep
      }
      await withTaskCancellationHandler {
        await sleep?.value
      } onCancel: {
        sleep?.cancel()
      }
      state.withLock { $0 = State() }
    }
  }

  /// The place of the store.
  let place: String
  private let alarm = Alarm()
  private let listener: CommitListener?

  /// Begins to listen to the server; a store in a file has none.
  init(_ place: ResolvedStore) {
    self.place = place.shown
    listener = CommitListener(place.location) { [alarm] in alarm.ring() }
  }

  /// Ends early if the task is cancelled, or if a commit was announced since the last call.
  func wait(_ interval: Duration) async { await alarm.sleep(interval) }
}
