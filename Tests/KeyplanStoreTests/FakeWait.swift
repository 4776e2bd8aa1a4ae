import Synchronization

@testable import KeyplanStore

/// Time that passes only while somebody waits.
final class FakeWait: Sendable {
  private let time = Mutex(Duration.zero)
  private let passing: @Sendable (Duration) -> Void

  /// - Parameter passing: called after each pause, with the time.
  init(passing: @escaping @Sendable (Duration) -> Void = { _ in }) { self.passing = passing }

  var passed: Duration { time.withLock { $0 } }

  var clock: WaitingClock {
    WaitingClock {
      self.passed
    } sleep: { pause in
      self.passing(
        self.time.withLock {
          $0 += pause
          return $0
        })
    }
  }
}

/// Lets a lock go at a moment of the test's choosing.
final class LockBox: Sendable {
  private let lock: Mutex<StoreLock?>
  init(_ lock: StoreLock) { self.lock = Mutex(lock) }
  func release() { lock.withLock { $0 = nil } }
}
