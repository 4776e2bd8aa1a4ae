import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The process of the fake.
final class FakeGitHubs: Sendable {
  static let shared = try? FakeGitHubs()
  /// The fake opens what it gets with PyNaCl. In CI it has to be there.
  static let isHere = Child.python != nil || ProcessInfo.processInfo.environment["CI"] != nil

  private let server: FixtureServer
  let port: String

  private init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures")
    server = try FixtureServer([fixtures.appending(path: "github.py").path])
    port = String(decoding: server.greeting, as: UTF8.self)
  }
}

extension Child {
  /// The Python with what the tests compare with.
  static var python: String? { ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] }
}

/// An account of the fake, which a token names.
struct FakeGitHub: Sendable {
  struct Seen: Decodable {
    let method, path, body: String
  }
  struct Fault: Encodable {
    var status: Int?
    var headers: [String: String] = [:]
    var body = ""
    var methods: [String]?
    /// A part of the path.
    var path = ""
    /// Whether the request is processed before the connection is closed.
    var after = false
    var times = 1_000
  }

  let name = UUID().uuidString
  let port: String

  init() throws { port = try #require(FakeGitHubs.shared).port }

  var address: String { "http://127.0.0.1:\(port)" }

  func fail(_ fault: Fault) async throws { try await control("fault", JSONEncoder().encode(fault)) }
  func rotate() async throws { try await control("rotate", Data("{}".utf8)) }
  func seen() async throws -> [Seen] {
    try JSONDecoder().decode([Seen].self, from: await control("requests", nil))
  }
  /// The values by the path of the secret, opened by libsodium.
  func values() async throws -> [String: String] {
    try JSONDecoder().decode([String: String].self, from: await control("values", nil))
  }

  @discardableResult
  func control(_ what: String, _ body: Data?) async throws -> Data {
    var request = HTTPRequest(body == nil ? .get : .post, try HTTPAddress("\(address)/_/\(name)/\(what)"))
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0))) }
    return try await HTTPClient().send(request).body.withBytes { Data($0) }
  }

  /// A run in a world of its own, with a declared token.
  func backend(_ token: String = "good", world: RemoteWorld? = nil) throws -> GitHubBackend {
    var world = try world ?? RemoteWorld()
    world.variables["TOKEN"] = "\(token).\(name)"
    let reference = Reference(scheme: "env", location: "TOKEN", isLocal: true)
    return GitHubBackend(
      try world.context(GitHubBackend.backend, ["address": .text(address), "token": .secret(reference)]))
  }

  /// The target with these fields, in a run of its own.
  func at(
    _ fields: [String: String] = ["repository": "acme/shop"], _ token: String = "good", world: RemoteWorld? = nil
  ) throws -> PortRun {
    let world = try world ?? RemoteWorld()
    let location = try #require(GitHubBackend.backend.target).location(of: fields, through: nil)
    return PortRun(
      world: world, target: try #require(try backend(token, world: world).target),
      destination: Destination(type: "test", location: location))
  }

  /// Runs GitHub's own client, which reaches the fake as a proxy and without TLS.
  func gh(_ words: String...) throws -> (status: Int32, text: String) { try gh(words) }

  func gh(_ words: [String]) throws -> (status: Int32, text: String) {
    let path = try #require(Peer.path("gh"))
    let folder = try Scratch()
    let variables = [
      "HTTP_PROXY=\(address)", "http_proxy=\(address)", "GH_TOKEN=good.\(name)", "GH_ENTERPRISE_TOKEN=good.\(name)",
      "GH_CONFIG_DIR=\(folder.path)", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1",
    ]
    let answer = try Child.answer(["env"] + variables + [path] + words, errors: true)
    return (answer.status, answer.text)
  }
}
