import KeyplanThreads

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread that calls a function at intervals. Not a task, because Swift's threads may all be busy for longer than the
/// interval.
final class HeartbeatThread: Sendable {
  private let wake: (reading: Int32, writing: Int32)
  private let thread: SystemThread?

  /// - Parameters:
  ///   - isPrompt: whether the first call is at once.
  ///   - listening: returns a descriptor that triggers a tick as soon as it is readable; -1 for none.
  ///   - tick: returns whether to continue. It can check whether the thread was stopped meanwhile.
  init(
    every interval: Duration, isPrompt: Bool = false, listening: @escaping @Sendable () -> Int32 = { -1 },
    tick: @escaping @Sendable (_ isStopped: @escaping @Sendable () -> Bool) -> Bool
  ) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe the thread could not be stopped. Then there are no ticks and the lock expires, which is safe.
    guard pipe(&ends) == 0 else {
      (wake, thread) = ((-1, -1), nil)
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let milliseconds = Int32(interval.components.seconds * 1000)
    let (reading, writing) = (ends[0], ends[1])
    wake = (reading, writing)
    thread = try? SystemThread {
      var isDue = isPrompt
      repeat {
        guard !isDue else {
          isDue = false
          continue
        }
        // Wait for the interval, for the descriptor, or until the other end of the pipe is closed.
        var watched = [reading, listening()].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&watched, 2, milliseconds)
        guard watched[0].revents == 0 else { return }
      } while tick {
        var end = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        return poll(&end, 1, 0) > 0
      }
    }
  }

  /// Stops the thread, and waits for a running tick, to which `isStopped` is then true.
  func stop() {
    close(wake.writing)
    thread?.join()
    close(wake.reading)
  }
}
