import KeyplanClocks
import Synchronization
import Testing

@testable import KeyplanReader

/// A clock that a test moves. Who sleeps wakes up when it is moved past the end.
final class FakeTime: Sendable {
  private struct Sleeper {
    let end: Int64
    let length: Duration
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var sinceStart: Int64 = 5_000_000_000
    var wall: Int64 = 1_800_000_000_000
    var start = "first"
    var sleepers: [Int: Sleeper] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Sleeps of this length are deadlines of requests.
  static let timeout = Duration.milliseconds(31_234)

  func clock() -> ReaderClock {
    ReaderClock(
      sinceStart: { self.state.withLock { $0.sinceStart } }, wall: { self.state.withLock { $0.wall } },
      start: state.withLock { $0.start }, sleep: { await self.sleep($0) })
  }

  var nanoseconds: Int64 { state.withLock { $0.sinceStart } }

  func advance(_ duration: Duration) {
    let due = state.withLock { state in
      state.sinceStart += duration.inNanoseconds
      state.wall += duration.inNanoseconds / 1_000_000
      let due = state.sleepers.filter { $0.value.end <= state.sinceStart }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  /// Sets the calendar only.
  func setCalendar(by duration: Duration) { state.withLock { $0.wall += duration.inNanoseconds / 1_000_000 } }

  /// A restart of the machine, which takes so long.
  func restart(after duration: Duration, calendarMovesBy calendar: Duration? = nil) {
    state.withLock { state in
      state.start += "+"
      state.sinceStart = 1_000_000_000
      state.wall += (calendar ?? duration).inNanoseconds / 1_000_000
    }
  }

  /// When the next sleep ends, but for deadlines; nil if nobody sleeps.
  var nextEnd: Int64? { state.withLock { $0.sleepers.values.filter { $0.length != Self.timeout }.map(\.end).min() } }

  /// How many sleep until a deadline, and how many for another reason.
  var sleeping: (deadlines: Int, others: Int) {
    state.withLock { state in
      let deadlines = state.sleepers.values.count { $0.length == Self.timeout }
      return (deadlines, state.sleepers.count - deadlines)
    }
  }

  private func sleep(_ duration: Duration) async {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard !Task.isCancelled, duration > .zero else { return true }
          state.sleepers[id] = Sleeper(
            end: state.sinceStart + max(1, duration.inNanoseconds), length: duration, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id)?.continuation }?.resume()
    }
  }
}

/// Waits for something that other tasks bring about. What takes five minutes is a fault, and ends the test.
func until(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
  let deadline = ContinuousClock.now + .seconds(300)
  while !condition() {
    // Not `#require`, which costs more than the condition.
    guard ContinuousClock.now < deadline else {
      Issue.record("What is waited for never came.", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    await Task.yield()
  }
}
