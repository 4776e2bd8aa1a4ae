#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A pipe that a signal handler writes to, for a reader that waits at its other end. It is never closed.
struct WakingPipe {
  /// Can be read after `put`.
  let reading: Int32
  private let writing: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  /// Can be called in a signal handler, where only system calls are safe.
  func put(_ byte: UInt8) {
    let number = errno
    var byte = byte
    _ = write(writing, &byte, 1)
    errno = number
  }

  /// Removes the next byte; nil if there is none.
  func next() -> UInt8? {
    var byte: UInt8 = 0
    return read(reading, &byte, 1) == 1 ? byte : nil
  }
}
