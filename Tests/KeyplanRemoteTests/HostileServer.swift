import Foundation
import KeyplanHTTP
import KeyplanSecrets
import Synchronization
import TestTools

@testable import KeyplanRemote
@testable import KeyplanServices

/// The hostile server of the HTTP tests, in the place of whatever service a backend asks.
final class HostileServer: Sendable {
  private struct Ports: Decodable, Sendable { let http, trap, otherHost, expired: Int }
  private struct Seen: Decodable { let trap: [String] }

  static let shared = Result { try HostileServer() }

  private let certificates: Scratch
  private let server: FixtureServer
  private let ports: Ports

  private init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../KeyplanHTTPTests/Fixtures")
      .standardized
    certificates = try Scratch()
    try Child.run([fixtures.appending(path: "make-certificates.sh").path, certificates.path])
    server = try FixtureServer([fixtures.appending(path: "server.py").path, certificates.path])
    ports = try JSONDecoder().decode(Ports.self, from: server.greeting)
  }

  /// What it does to each request.
  enum Deed: String, CaseIterable, Sendable {
    case redirect, permanentRedirect, headerFlood, endless, bomb, deep, login, empty, cut, wrongCertificate, expired
    case parrotRefusal, parrotFailure
  }

  private func address(_ deed: Deed) throws -> String {
    let here = "http://127.0.0.1:\(ports.http)"
    let trap = "to=http%3A%2F%2F127.0.0.1%3A\(ports.trap)%2Ftrap"
    return switch deed {
    case .redirect: "\(here)/redirect/302?\(trap)"
    case .permanentRedirect: "\(here)/redirect/308?\(trap)"
    case .headerFlood: "\(here)/headers/20000000"
    case .endless: "\(here)/endless"
    case .bomb: "\(here)/bomb/2"
    case .deep: "\(here)/deep"
    case .login: "\(here)/login"
    case .empty: "\(here)/bytes/0"
    case .cut: "\(here)/cut/60"
    case .wrongCertificate: "https://127.0.0.1:\(ports.otherHost)/login"
    case .expired: "https://127.0.0.1:\(ports.expired)/login"
    case .parrotRefusal: "\(here)/parrot/400"
    case .parrotFailure: "\(here)/parrot/500"
    }
  }

  /// Who followed a redirection, and what was sent there.
  func trapped() async throws -> [String] {
    let response = try await HTTPClient().send(
      HTTPRequest(.get, try HTTPAddress("http://127.0.0.1:\(ports.http)/seen")))
    return try response.body.withBytes { try JSONDecoder().decode(Seen.self, from: Data($0)).trap }
  }

  /// Sends each request of a backend to the server, wherever it should have gone.
  func transport(_ settings: HTTPSettings, _ deed: Deed, _ sent: Sent) throws -> RemoteTransport {
    let address = try HTTPAddress(address(deed))
    var settings = settings
    settings.authorities = certificates["authority.pem"]
    // Longer than all tests together: what has no end is cut by its size.
    settings.deadline = .seconds(600)
    let real = RemoteTransport(settings) { 1_800_000_000 }
    return RemoteTransport(
      send: { (request) async throws(HTTPError) in
        sent.add(request)
        var other = HTTPRequest(request.method, address)
        for (name, value) in request.headers { try other.add(name, value) }
        other.body = request.body
        other.isRepeatable = request.isRepeatable
        return try await real.send(other)
      }, pause: { _ in }, now: real.now)
  }

  /// The requests of one backend.
  final class Sent: Sendable {
    private let all = Mutex<[(method: String, address: String)]>([])
    func add(_ request: HTTPRequest) { all.withLock { $0.append((request.method.rawValue, request.address.text)) } }
    var addresses: [String] { all.withLock { $0.map(\.address) } }
    var count: Int { all.withLock { $0.count } }
  }
}
