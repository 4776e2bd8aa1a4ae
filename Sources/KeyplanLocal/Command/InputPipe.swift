import KeyplanSecrets

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
  let reader: Int32
  /// `F_SETPIPE_SZ` of fcntl(2), which Glibc's module does not have.
  private static let setPipeSize: Int32 = 1031

  /// Nil if the bytes do not fit into a pipe.
  init?(holding input: SecretBox) {
    guard input.count <= Self.limit else { return nil }
    guard let (reader, writer) = ClosedOnExec.pipe() else { return nil }
    #if canImport(Glibc)
    // Memory beyond the default size of 64 KiB is only reserved where it is needed.
    if input.count > 64 << 10 { _ = fcntl(writer, Self.setPipeSize, Int32(Self.limit)) }
    #endif
    self.reader = reader
    defer { close(writer) }
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    guard Self.fill(writer, with: input) else { return nil }
  }

  deinit { close(reader) }

  private static func fill(_ end: Int32, with input: SecretBox) -> Bool {
    input.withBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let written = retrying { write(end, rest.baseAddress, rest.count) }
        guard written > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
      }
      return true
    }
  }
}
