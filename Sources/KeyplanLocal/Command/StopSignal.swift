#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Stops a thread that waits for descriptors.
final class StopSignal: Sendable {
  /// Can be read once it has been sent.
  let descriptor: Int32
  private let writer: Int32

  /// Nil if the system has no more descriptors.
  init?() {
    guard let (reader, writer) = ClosedOnExec.pipe() else { return nil }
    (descriptor, self.writer) = (reader, writer)
  }

  deinit {
    close(descriptor)
    close(writer)
  }

  /// Must be called at most once.
  func send() {
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }
}
