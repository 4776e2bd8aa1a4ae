import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The fakes of the fixtures, in a process of their own.
final class FakeServices: Sendable {
  static let shared = try? FakeServices()

  private let server: FixtureServer
  let root: String

  private init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    server = try FixtureServer([fixtures.appending(path: "services.py").path])
    root = "http://127.0.0.1:\(String(decoding: server.greeting, as: UTF8.self))"
  }
}

/// A fault that an instance of the fake has with its next requests.
struct Fault: Encodable, Sendable {
  enum Kind: String, Encodable { case answer, drop, dropAfter }

  var kind = Kind.answer
  var status = 200
  var headers: [String: String] = [:]
  var body = ""
  var methods: [String]?
  /// Only requests that change a secret.
  var writes = false
  var skip = 0
  var times = 1_000
}

/// One service of the fake, with its own state.
struct FakeService: Sendable {
  struct Seen: Decodable, Hashable {
    let method: String
    let path: String
  }

  let sample: ServiceSample
  let address: String

  init(_ sample: ServiceSample) throws {
    self.sample = sample
    address = "\(try #require(FakeServices.shared).root)/i/\(UUID().uuidString)"
  }

  /// A new run: nothing is signed in, nothing is looked up.
  func run(
    token: String = "good", patience: Int = 0, place: [String: String] = [:],
    change: (inout SecretAPI) -> Void = { _ in }
  ) throws -> ServiceRun {
    var api = try sample.api()
    api.pace.patience = patience
    sample.adapt(&api)
    change(&api)
    var fields = sample.connection
    for name in sample.addresses { fields[name] = address }
    var inputs = fields.mapValues { FieldInput.text($0) }
    if inputs["token"] != nil { inputs["token"] = .secret(SecretBox(Array(token.utf8))) }
    let connection = RemoteConnection(name: "test", fields: inputs)
    let pauses = Pauses()
    var transport = RemoteTransport(Self.settings, now: { 1_800_000_000 })
    transport.pause = { pauses.add($0) }
    let placeFields = sample.place.merging(place) { $1 }
    return ServiceRun(
      service: RemoteService(api, transport), pauses: pauses,
      place: RemotePlace(connection: connection, fields: placeFields))
  }

  private static var settings: HTTPSettings {
    var settings = HTTPSettings()
    settings.retrying.attempts = 1
    // Longer than all tests together.
    settings.deadline = .seconds(600)
    return settings
  }

  func fail(_ fault: Fault) async throws { try await control(.post, "fault", JSONEncoder().encode(fault)) }
  func recover() async throws { try await control(.post, "recover", Data("{}".utf8)) }

  /// The requests since the last time this was asked.
  func seen() async throws -> [Seen] {
    try JSONDecoder().decode([Seen].self, from: await control(.get, "requests", nil))
  }

  /// The bodies of the requests since the last time this was asked.
  func bodies() async throws -> [String] {
    try JSONDecoder().decode([String].self, from: await control(.get, "bodies", nil))
  }

  @discardableResult
  private func control(_ method: HTTPRequest.Method, _ name: String, _ body: Data?) async throws -> Data {
    var request = HTTPRequest(method, try HTTPAddress("\(address)/_/\(name)"))
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0))) }
    return try await HTTPClient(Self.settings).send(request).body.withBytes { Data($0) }
  }
}
