internal import CProcess

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Signals as bytes in a pipe, for a loop that waits for several things at once.
enum SignalPipe {
  /// Catches these signals from now on, except those that are ignored when the program starts: `nohup` ignores SIGHUP.
  static func catching(_ numbers: [Int32]) {
    _ = pipe
    for number in numbers where keyplan_ignores(number) == 0 {
      signal(number) { SignalPipe.pipe.put(UInt8(truncatingIfNeeded: $0)) }
    }
  }

  /// Ends the loop's wait, from any thread.
  static func wake() { pipe.put(0) }

  /// Waits for a signal, for `wake`, or until one of the descriptors is closed at its other end.
  /// - Parameter milliseconds: at most this long; negative for no limit.
  /// - Returns: the signals, in the order in which they came, and whether a descriptor is closed.
  static func wait(_ milliseconds: Int32, closing descriptor: Int32 = -1) -> (signals: [Int32], isClosed: Bool) {
    var questions = [
      pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: 0, revents: 0),
    ]
    _ = poll(&questions, 2, milliseconds)
    var signals: [Int32] = []
    while let byte = pipe.next() {
      if byte != 0 { signals.append(Int32(byte)) }
    }
    return (signals, questions[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0)
  }

  private static let pipe = WakingPipe()
}
