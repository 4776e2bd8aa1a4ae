#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The two clocks of a machine.
package enum MachineClocks {
  /// Nanoseconds since the machine was started, those asleep included. It cannot be set.
  package static func sinceStart() -> Int64 {
    #if canImport(Darwin)
    return Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW))
    #else
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    #endif
  }

  /// Milliseconds since 1970. Anyone can set this clock.
  package static func wall() -> Int64 {
    var time = timespec()
    #if canImport(Darwin)
    clock_gettime(CLOCK_REALTIME, &time)
    #else
    // As of the last tick, at most 10 ms ago: reading the exact time costs as much as all else of a read from memory.
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    #endif
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
