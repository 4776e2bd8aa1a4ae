import KeyplanSecrets

#if canImport(System)
import System
#else
import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe that already contains all input of a program. Nothing is written while the program runs, so a program that
/// does not read its input neither blocks keyplan nor sends it SIGPIPE.
final class InputPipe: Sendable {
  /// The most bytes of input: the default of `/proc/sys/fs/pipe-max-size`.
  static let limit = 1 << 20
  let reader: FileDescriptor
  /// `F_SETPIPE_SZ` of fcntl(2), which Glibc's module does not have.
  private static let setPipeSize: Int32 = 1031

  /// Nil if the bytes do not fit into a pipe.
  init?(holding input: SecretBox) {
    guard input.count <= Self.limit else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Glibc)
    // Memory beyond the default size of 64 KiB is only reserved where it is needed.
    if input.count > 64 << 10 { _ = fcntl(ends[1], Self.setPipeSize, Int32(Self.limit)) }
    #endif
    reader = FileDescriptor(rawValue: ends[0])
    defer { close(ends[1]) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    guard Self.write(input, to: ends[1]) else { return nil }
  }

  deinit { try? reader.close() }

  private static func write(_ input: SecretBox, to end: Int32) -> Bool {
    input.withBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let written = systemWrite(end, rest)
        guard written > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
      }
      return true
    }
  }
}

/// Writes as much as fits, again if a signal interrupts it; negative for an error.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  while true {
    let written = write(descriptor, bytes.baseAddress, bytes.count)
    if written >= 0 || errno != EINTR { return written }
  }
}
