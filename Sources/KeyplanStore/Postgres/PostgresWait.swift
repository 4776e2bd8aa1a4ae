#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How long a server is waited for: until a deadline, and no longer than somebody wants its answer.
struct PostgresWait {
  private let deadline: ContinuousClock.Instant
  private let isUnwanted: @Sendable () -> Bool

  /// Synchronous code can look whether its task was cancelled, and cannot be woken by it. So it looks this often.
  private static let slice: Int64 = 100

  init(_ patience: Duration, unless isUnwanted: @escaping @Sendable () -> Bool) {
    deadline = ContinuousClock.now.advanced(by: patience)
    self.isUnwanted = isUnwanted
  }

  /// Waits until something can be read or written. A server that answers at once is heard although nobody waits for it any more:
  /// so an interrupted run with a server that is well ends as one without a server does.
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
  /// Whether it is not waited for any longer, because the task that asked for it was cancelled. Only here it is decided what an
  /// interruption ends.
  ///
  /// What is read, and a lock that is asked for, has begun nothing. It is enough that the connection is closed: a snapshot keeps nobody
  /// waiting, and the server ends it after a minute; a lock is given back. libpq's way to cancel would wait for the server, without a
  /// deadline. What is written may happen whoever looks away, so its outcome is waited for, until the deadline.
  var isUnwanted: Bool {
    switch self {
    case .reading, .locking: Task.isCancelled
    case .writing, .making: false
    }
  }
}
