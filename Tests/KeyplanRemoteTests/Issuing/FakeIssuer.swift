import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The fake of `Fixtures/issuers.py`, in a process of its own.
final class FakeIssuers: Sendable {
  static let shared = Result { try FakeIssuers() }

  private let server: FixtureServer
  let root: String

  private init() throws {
    server = try FixtureServer([FakeProviders.fixtures.appending(path: "issuers.py").path])
    root = String(decoding: server.greeting, as: UTF8.self)
  }
}

/// One provider of the fake, with its own keys.
struct FakeIssuer: Sendable {
  struct Key: Decodable, Hashable {
    let id: String
    let name: String?
    let value: String
    let disabled: Bool
  }

  let sample: IssuerSample
  let address: String
  let pauses = Pauses()

  init(_ sample: IssuerSample) throws {
    self.sample = sample
    address = "\(try FakeIssuers.shared.get().root)/i/\(UUID().uuidString)"
  }

  init(_ name: String) throws {
    try self.init(try #require(IssuerSample.all.first { $0.name == name }))
  }

  /// A new run: nothing is signed in.
  func issuer(
    token: String = "good", at address: String? = nil, through transport: RemoteTransport? = nil,
    place: [String: String] = [:], change: (inout SecretAPI) -> Void = { _ in }
  ) throws -> KeyIssuer {
    var fields: [String: FieldInput] = ["address": .text(address ?? self.address)]
    for name in sample.credentials { fields[name] = .secret(SecretBox(Array(token.utf8))) }
    for (name, value) in sample.connection { fields[name] = .text(value) }
    let connection = RemoteConnection(name: "test", fields: fields)
    return try issuer(connection, through: transport, place: place, change: change)
  }

  /// A new run through a connection.
  func issuer(
    _ connection: RemoteConnection, through transport: RemoteTransport? = nil, place: [String: String] = [:],
    change: (inout SecretAPI) -> Void = { _ in }
  ) throws -> KeyIssuer {
    var api = try #require(try BuiltInIssuers.api(sample.name))
    change(&api)
    let place = RemotePlace(connection: connection, fields: sample.place.merging(place) { $1 })
    let service = RemoteService(api, transport ?? Self.transport(pauses))
    return try #require(try KeyIssuer(service, at: place))
  }

  static func transport(_ pauses: Pauses = Pauses(), now: Int64 = 1_800_000_000) -> RemoteTransport {
    var settings = HTTPSettings()
    // Longer than all tests together.
    settings.deadline = .seconds(600)
    var transport = RemoteTransport(settings, now: { now })
    transport.pause = { pauses.add($0) }
    return transport
  }

  func fail(_ fault: Fault) async throws { try await control(.post, "fault", JSONEncoder().encode(fault)) }
  func recover() async throws { try await control(.post, "recover", Data("{}".utf8)) }
  func be(_ mode: String) async throws { try await control(.post, "mode", JSONEncoder().encode(["mode": mode])) }

  /// A key that somebody makes by hand.
  func make(_ name: String) async throws {
    try await control(.post, "make", JSONEncoder().encode(["provider": sample.name, "name": name]))
  }

  /// The requests since the last time this was asked.
  func seen() async throws -> [FakeService.Seen] {
    try JSONDecoder().decode([FakeService.Seen].self, from: await control(.get, "requests", nil))
  }

  /// The keys as the provider has them.
  func keys() async throws -> [Key] {
    try JSONDecoder().decode([String: [Key]].self, from: await control(.get, "keys", nil))[sample.name] ?? []
  }

  @discardableResult
  private func control(_ method: HTTPRequest.Method, _ name: String, _ body: Data?) async throws -> Data {
    var request = HTTPRequest(method, try HTTPAddress("\(address)/_/\(name)"))
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0))) }
    return try await HTTPClient(HTTPSettings()).send(request).body.withBytes { Data($0) }
  }
}

/// The failure that something ends with; nil if it succeeds.
func failure<Result>(of body: () async throws -> Result) async -> KeyIssuerFailure? {
  do {
    _ = try await body()
    return nil
  } catch let failure as KeyIssuerFailure {
    return failure
  } catch {
    Issue.record(error)
    return nil
  }
}
