import Foundation
import KeyplanHTTP
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanCalendars

#if os(Linux)
private let noSignal = Int32(MSG_NOSIGNAL)
private let stream = Int32(SOCK_STREAM.rawValue)
#else
private let noSignal: Int32 = 0
private let stream = SOCK_STREAM
#endif

/// A server of ours on a loopback port that answers byte for byte what a test wants, and remembers what it was asked.
final class Peer: Sendable {
  struct Asked: Sendable {
    let method, path: String
    let head, body: String
    var isAuthorized: Bool { head.contains("\r\nAuthorization: Basic ") }
  }

  let port: Int
  private let listening: Int32
  private let log = Mutex<[Asked]>([])
  private let answer: @Sendable (Asked) -> String

  init(_ answer: @escaping @Sendable (Asked) -> String) throws {
    listening = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listening
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    try #require(bound)
    port = Int(UInt16(bigEndian: address.sin_port))
    self.answer = answer
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        // Closed here and nowhere else: a number that is free again may be another test's socket by the next `accept`.
        guard connection >= 0 else { break }
        self?.serve(connection)
        close(connection)
      }
      close(descriptor)
    }
  }

  deinit { shutdown(listening, Int32(SHUT_RDWR)) }

  var asked: [Asked] { log.withLock { $0 } }
  var address: String { "http://127.0.0.1:\(port)" }

  private func serve(_ connection: Int32) {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = String(text[..<end.lowerBound]) + "\r\n"
        let body = String(text[end.upperBound...])
        let length = head.components(separatedBy: "Content-Length: ").dropFirst().first.flatMap {
          Int($0.prefix { $0.isNumber })
        }
        if body.utf8.count >= length ?? 0 {
          let words = head.split(separator: " ")
          let asked = Asked(method: String(words[0]), path: String(words[1]), head: head, body: body)
          log.withLock { $0.append(asked) }
          let reply = Array(answer(asked).utf8)
          var sent = 0
          while sent < reply.count {
            let count = reply[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, noSignal) }
            guard count > 0 else { return }
            sent += count
          }
          return
        }
      }
      let count = recv(connection, &room, room.count, 0)
      guard count > 0 else { return }
      bytes += room[..<count]
    }
  }

  static func reply(_ status: Int, _ body: String = "", headers: [String] = []) -> String {
    let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  /// One resource with these properties found.
  static func found(_ href: String, _ properties: String) -> String {
    "<d:response><d:href>\(href)</d:href><d:propstat><d:prop>\(properties)</d:prop>"
      + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
  }

  static func multistatus(_ inner: String...) -> String {
    reply(
      207,
      #"<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">"#
        + inner.joined() + "</d:multistatus>")
  }
}

extension CalDAVClient {
  static let password = "canary-p4ssw0rd"

  init(_ server: String, user: String = "alice", password: String = password) throws {
    var settings = HTTPSettings()
    settings.deadline = .seconds(20)
    settings.retrying = RetryPolicy(attempts: 1)
    self.init(
      DAVAccount(server: try HTTPAddress(server), user: user, password: SecretBox(Array(password.utf8))), settings)
  }
}

extension DAVCalendar {
  init(_ address: String) throws { self.init(address: try HTTPAddress(address), name: "") }
}
