import Foundation
import Testing

#if os(Linux)
private let stream = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#else
private let stream = SOCK_STREAM
private let noSignal: Int32 = 0
#endif

/// A connection to a port of 127.0.0.1, as a browser makes it.
final class Browser: Sendable {
  private let descriptor: Int32

  init(_ port: Int) async throws {
    let descriptor = socket(AF_INET, stream, 0)
    self.descriptor = descriptor
    // The threads that tasks share are not kept waiting, here and below: the listener may need one.
    let isConnected = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Self.connected(descriptor, port)) }
    }
    try #require(isConnected)
  }

  private static func connected(_ descriptor: Int32, _ port: Int) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  deinit { close(descriptor) }

  @discardableResult
  func send(_ text: String) -> Browser {
    _ = Array(text.utf8).withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal) }
    return self
  }

  /// All of the answer, up to its end.
  func answer() async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.read()) }
    }
  }

  private func read() -> String {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &room, room.count, 0)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += room[..<count]
    }
  }

  /// One request as browsers send it, and the status of the answer.
  static func status(
    _ port: Int, _ line: String, host: String? = nil, more: String = ""
  ) async throws -> String {
    let text = "\(line) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\nUser-Agent: test\r\n\(more)\r\n"
    let answer = try await Browser(port).send(text).answer()
    return answer.split(separator: "\r\n").first.map { String($0.dropFirst("HTTP/1.1 ".count)) } ?? ""
  }
}
