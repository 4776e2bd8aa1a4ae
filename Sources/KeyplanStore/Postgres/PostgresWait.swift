#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits for a server until a deadline, or until the result is not wanted any more.
struct PostgresWait {
  private let deadline: ContinuousClock.Instant
  private let isUnwanted: @Sendable () -> Bool

  /// Synchronous code is not woken by the cancellation of its task, so it checks at this interval, in milliseconds.
  private static let slice: Int64 = 100

  init(_ patience: Duration, unless isUnwanted: @escaping @Sendable () -> Bool) {
    deadline = ContinuousClock.now.advanced(by: patience)
    self.isUnwanted = isUnwanted
  }

  /// Waits until the socket is readable or writable. Cancellation is only checked after an interval without an event:
  /// with a responsive server, an interrupted run ends in the same way as without a server.
  func until(_ events: Int32, at socket: Int32) throws(PostgresFault) {
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw .late }
      var watched = pollfd(fd: socket, events: Int16(events), revents: 0)
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      let found = poll(&watched, 1, Int32(min(milliseconds + 1, Self.slice)))
      if found > 0 { return }
      guard found == 0 || errno == EINTR else { throw .lost(String(cString: strerror(errno))) }
      if found == 0, isUnwanted() { throw .givenUp }
    }
  }
}

extension PostgresMessages.Work {
  /// Whether to stop waiting because the task was cancelled. The only place that determines what an interruption ends.
  ///
  /// Reads and lock requests are ended: they have no lasting effect, and closing the connection is enough. A snapshot
  /// blocks no one, and the server ends it after a minute; a lock is released. libpq's own cancellation would wait for
  /// the server without a deadline. Writes may take effect in any case, so keyplan waits for their results, until the
  /// deadline.
  var isUnwanted: Bool {
    switch self {
    case .reading, .locking: Task.isCancelled
    case .writing, .making: false
    }
  }
}
