import Foundation
import KeyplanHTTP
import KeyplanSecrets
import TestTools
import Testing

/// The Python server of the fixtures: a process of its own, so that nothing it received lies in the memory of the tests.
final class Server: Sendable {
  private struct Ports: Decodable, Sendable {
    let http, trap, tls, otherHost, expired, old, proxy, denying: Int
  }
  /// What it received so far.
  struct Seen: Decodable {
    struct Tunnel: Decodable {
      let line: String
      let headers: [String]
    }
    let trap: [String]
    let proxy: [Tunnel]
    let sent: [String: Int]
    let connections: Int
    let counts: [String: Int]
  }
  /// What `/echo` answers.
  struct Echo: Decodable {
    let method, path: String
    let headers: [String]
    let body: Data

    func values(of name: String) -> [String] {
      let start = name.lowercased() + ": "
      return headers.filter { $0.lowercased().hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
  }

  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
  /// One for all tests that ask for nothing but their own paths.
  static let shared = try? Server()

  private let server: FixtureServer
  private let ports: Ports

  init() throws {
    server = try FixtureServer([Self.fixtures.appending(path: "server.py").path, Certificates.shared.folder.path])
    ports = try JSONDecoder().decode(Ports.self, from: server.greeting)
  }

  var trap: Int { ports.trap }
  var port: Int { ports.http }
  var tls: Int { ports.tls }
  var proxy: String { "http://127.0.0.1:\(ports.proxy)" }
  var denyingProxy: String { "127.0.0.1:\(ports.denying)" }
  var tlsPorts: (good: Int, otherHost: Int, expired: Int, old: Int) {
    (ports.tls, ports.otherHost, ports.expired, ports.old)
  }

  func address(_ path: String) throws -> HTTPAddress { try HTTPAddress("http://127.0.0.1:\(port)\(path)") }

  /// A path that no other test asks for.
  static func own(_ path: String) -> String { path + (path.contains("?") ? "&" : "?") + "id=\(UUID().uuidString)" }

  func seen() async throws -> Seen {
    let response = try await HTTPClient().send(HTTPRequest(.get, try address("/seen")))
    return try JSONDecoder().decode(Seen.self, from: response.data)
  }
}

/// Made once, by openssl, and removed with the process.
final class Certificates: Sendable {
  static let shared = Certificates()
  let folder = FileManager.default.temporaryDirectory.appending(path: "keyplan-http-\(UUID().uuidString)")

  private init() {
    let maker = Process()
    maker.executableURL = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/make-certificates.sh")
    maker.arguments = [folder.path]
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try maker.run()
      maker.waitUntilExit()
    } catch {
      Issue.record(error, "no certificates")
    }
    atexit { try? FileManager.default.removeItem(at: Certificates.shared.folder) }
  }
}

extension HTTPResponse {
  var data: Data { body.withBytes { Data($0) } }
  var text: String { String(decoding: data, as: UTF8.self) }
}

extension SecretBox {
  convenience init(text: String) { self.init(Array(text.utf8)) }
}

extension HTTPSettings {
  /// Longer than all tests together: while others block the threads that tasks share, everything takes as long as they do.
  static let patience = Duration.seconds(3000)

  /// Impatient.
  static func quick(_ deadline: Duration = .seconds(20)) -> HTTPSettings {
    var settings = HTTPSettings()
    settings.deadline = deadline
    settings.retrying.firstPause = .milliseconds(2)
    return settings
  }
}
