#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The time, as the machine's start and the calendar tell it.
package struct ReaderClock: Sendable {
  /// Nanoseconds since the machine was started, those asleep included.
  package var sinceStart: @Sendable () -> Int64
  /// Milliseconds since 1970. Anybody may set it.
  package var wall: @Sendable () -> Int64
  /// Tells one start of the machine from another; nil if that is unknown.
  package var start: String?
  package var sleep: @Sendable (Duration) async -> Void

  package init(
    sinceStart: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int64, start: String?,
    sleep: @escaping @Sendable (Duration) async -> Void
  ) {
    (self.sinceStart, self.wall, self.start, self.sleep) = (sinceStart, wall, start, sleep)
  }

  package static let system = ReaderClock(
    sinceStart: {
      #if canImport(Darwin)
      let time = clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)
      return Int64(clamping: time)
      #else
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      #endif
    },
    wall: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    start: MachineStart.id, sleep: { try? await Task.sleep(for: $0) })

  var now: TimeStamp { TimeStamp(start: start, sinceStart: sinceStart(), wall: wall()) }
}
