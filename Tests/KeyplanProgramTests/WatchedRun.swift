import Foundation
import PostgresForTests
import Synchronization

/// A run of the program whose way to a server is watched.
final class WatchedRun: Sendable {
  private let state = Mutex((process: pid_t(0), isReached: false, isReleased: false))

  /// At the message: the process that sent it, which may not be known yet.
  func reach(_ act: (pid_t) -> Void) {
    let deadline = Deadline()
    while state.withLock({ $0.process == 0 }), !deadline.isOver { usleep(200) }
    act(state.withLock { $0.process })
    state.withLock { $0.isReached = true }
  }

  func start(_ process: pid_t) { state.withLock { $0.process = process } }
  func release() { state.withLock { $0.isReleased = true } }
  var isReached: Bool { state.withLock { $0.isReached } }

  /// At the message, until somebody else has had its turn.
  func waitForRelease() {
    let deadline = Deadline()
    while !state.withLock({ $0.isReleased }), !deadline.isOver { usleep(200) }
  }
}
