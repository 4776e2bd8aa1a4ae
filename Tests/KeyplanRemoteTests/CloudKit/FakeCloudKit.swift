import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The fake of the fixtures, in a process of its own.
final class CloudKitServer: Sendable {
  static let shared = try? CloudKitServer()

  private let server: FixtureServer
  let root: String

  private init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    server = try FixtureServer([fixtures.appending(path: "Fixtures/cloudkit.py").path])
    root = "http://127.0.0.1:\(String(decoding: server.greeting, as: UTF8.self))"
  }
}

/// A container of the fake.
struct FakeCloudKit: Sendable {
  struct Request: Decodable, Equatable {
    let operation: String
    let count: Int
  }

  struct Record: Codable {
    var recordName: String
    var recordType = "Keys"
    var fields: [String: Field]

    struct Field: Codable {
      var value: String
      var type = "STRING"
    }

    init(_ recordName: String, _ name: String, _ value: String?, type: String = "STRING") {
      self.recordName = recordName
      fields = ["name": Field(value: name)]
      if let value { fields["key"] = Field(value: value, type: type) }
    }
  }

  struct Fault: Encodable {
    var operation: String?
    var status = 200
    var headers: [String: String] = [:]
    var body = ""
    var drop = false
    var after = false
    var skip = 0
    var times = 1_000
  }

  private struct Key: Decodable {
    let sec1: String
    let pkcs8: String
  }

  let container = "iCloud.test.\(UUID().uuidString)"
  let root: String
  let pem: String

  /// - Parameter isPKCS8: the form of the private key.
  init(isPKCS8: Bool = false) async throws {
    root = try #require(CloudKitServer.shared).root
    let data = try await Self.send(.get, "\(root)/_/key")
    let key = try JSONDecoder().decode(Key.self, from: data)
    pem = isPKCS8 ? key.pkcs8 : key.sec1
  }

  /// A new run, with the server-to-server key unless the values have another credential.
  func run(_ values: [String: Connection.Value] = [:], clock: Int64 = 0, pem: String? = nil) -> CloudKitRun {
    var all: [String: Connection.Value] = [
      "address": .text(root), "container": .text(container), "environment": .text("development"),
    ]
    if values["apiToken"] == nil {
      all["keyId"] = .text("0123abcd")
      all["privateKey"] = .secret(Reference(scheme: "env", location: "KEY", isLocal: true))
    }
    return CloudKitRun(all.merging(values) { $1 }, variables: ["KEY": pem ?? self.pem, "TOKEN": "good"], clock: clock)
  }

  func fail(_ fault: Fault) async throws { try await control("fault", fault) }

  /// Lets an operation fail as the service does.
  func fail(_ operation: String?, _ status: Int, _ code: String, more: String = "", times: Int = 1_000) async throws {
    let body = #"{"uuid":"1","serverErrorCode":"\#(code)","reason":"private words of the service"\#(more)}"#
    try await fail(Fault(operation: operation, status: status, body: body, times: times))
  }

  func recover() async throws { try await control("recover", [String: String]()) }
  func put(_ record: Record) async throws { try await control("put", record) }
  func set(_ settings: [String: Int]) async throws { try await control("set", settings) }

  /// Errors of single records, as JSON.
  func errors(_ json: String) async throws {
    try await Self.send(.post, "\(root)/_/\(container)/errors", Data(json.utf8))
  }

  func requests() async throws -> [Request] {
    try JSONDecoder().decode([Request].self, from: await Self.send(.get, "\(root)/_/\(container)/requests"))
  }

  func records() async throws -> [Record] {
    try JSONDecoder().decode([Record].self, from: await Self.send(.get, "\(root)/_/\(container)/records"))
  }

  private func control(_ name: String, _ body: some Encodable) async throws {
    try await Self.send(.post, "\(root)/_/\(container)/\(name)", JSONEncoder().encode(body))
  }

  @discardableResult
  private static func send(_ method: HTTPRequest.Method, _ address: String, _ body: Data? = nil) async throws -> Data {
    var request = HTTPRequest(method, try HTTPAddress(address))
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0))) }
    var settings = HTTPSettings()
    settings.deadline = .seconds(600)
    settings.bodyLimit = 1 << 26
    return try await HTTPClient(settings).send(request).body.withBytes { Data($0) }
  }
}
