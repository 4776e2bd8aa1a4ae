import KeyplanThreads

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread that does something at intervals, whatever the rest of the process waits for. Not a task: all threads of those
/// may be busy for longer than the interval.
final class HeartbeatThread: Sendable {
  private let wake: (reading: Int32, writing: Int32)
  private let thread: SystemThread?

  /// - Parameters:
  ///   - listening: a descriptor on which nothing comes but what asks for a beat at once; -1 for none.
  ///   - beat: answers whether to go on. It can ask whether this was stopped meanwhile.
  init(
    every interval: Duration, listening: @escaping @Sendable () -> Int32 = { -1 },
    tick: @escaping @Sendable (_ isStopped: @escaping @Sendable () -> Bool) -> Bool
  ) {
    var ends: [Int32] = [-1, -1]
    // Without one it could not be stopped. Then nothing is heard of the holder, and its lock ends: nothing worse.
    guard pipe(&ends) == 0 else {
      (wake, thread) = ((-1, -1), nil)
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let milliseconds = Int32(interval.components.seconds * 1000)
    let (reading, writing) = (ends[0], ends[1])
    wake = (reading, writing)
    thread = try? SystemThread {
      repeat {
        // Until it is time, something is said, or the other end was closed.
        var watched = [reading, listening()].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&watched, 2, milliseconds)
        guard watched[0].revents == 0 else { return }
      } while tick {
        var end = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        return poll(&end, 1, 0) > 0
      }
    }
  }

  /// Waits for a beat that is under way, which is told.
  func stop() {
    close(wake.writing)
    thread?.join()
    close(wake.reading)
  }
}
