import CSpawn

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Descriptors that no program inherits.
enum ClosedOnExec {
  /// Nil if the system has no more descriptors.
  static func pipe() -> (reader: Int32, writer: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard keyplan_make_pipe(&ends) == 0 else { return nil }
    return (ends[0], ends[1])
  }
}

/// Calls again if a signal interrupts it.
func retrying(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
