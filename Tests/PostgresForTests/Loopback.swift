import Foundation

/// Sockets of this machine alone.
public enum Loopback {
  /// A socket at a free port of 127.0.0.1, which no child inherits.
  public static func bound() throws -> (socket: Int32, port: Int) {
    let end = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(end, $0, size) == 0 && getsockname(end, $0, &size) == 0
      }
    }
    guard isBound else { throw Failed(words: "no port is free") }
    return (end, Int(UInt16(bigEndian: address.sin_port)))
  }
}
