#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A socket that listens on 127.0.0.1, on a port chosen by the system. Closed with its last reference.
final class LoopbackSocket: Sendable {
  let descriptor: Int32
  let port: Int

  init() throws(ListeningError) {
    #if canImport(Glibc)
    let stream = Int32(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw ListeningError(errno) }
    prepare(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isBound else {
      let reason = errno
      close(descriptor)
      throw ListeningError(reason)
    }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// The next connection, if there is one.
  func connection() -> Int32? {
    let connection = accept(descriptor, nil, nil)
    guard connection >= 0 else { return nil }
    prepare(connection)
    return connection
  }
}

/// The reason that keyplan cannot listen for the redirect.
package struct ListeningError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno`.
  package let number: Int32

  init(_ number: Int32) { self.number = number }

  /// The error in one sentence without a full stop.
  package var description: String {
    "keyplan cannot listen on 127.0.0.1: \(String(cString: strerror(number)))"
  }
}

/// Makes a descriptor non-blocking, and closes it on exec.
private func prepare(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}
