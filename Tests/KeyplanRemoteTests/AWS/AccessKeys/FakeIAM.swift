import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A user of the fake of `Fixtures/iam.py`, which all tests share.
struct FakeIAM: Sendable {
  struct Key: Decodable, Hashable {
    let id: String
    let value: String
    let status: String
  }

  private final class Server: Sendable {
    static let shared = Result { try Server() }

    let process: FixtureServer
    let root: String

    init() throws {
      process = try FixtureServer([FakeProviders.fixtures.appending(path: "iam.py").path])
      root = String(decoding: process.greeting, as: UTF8.self)
    }
  }

  private let root: String
  let user = "user-\(UUID().uuidString)"

  init() throws { root = try Server.shared.get().root }

  var place: Destination { AWSRun.place(user) }

  /// A machine that finds IAM at the fake, or at another address.
  func run(at address: String? = nil) -> AWSRun {
    var run = AWSRun()
    run.variables["AWS_ACCESS_KEY_ID"] = "ID"
    run.variables["AWS_SECRET_ACCESS_KEY"] = "canary-of-the-credential"
    run.variables["AWS_ENDPOINT_URL_IAM"] = address ?? root
    return run
  }

  func fail(_ fault: Fault) async throws { try await control(.post, "fault", JSONEncoder().encode(fault)) }
  func recover() async throws { try await control(.post, "recover", Data()) }

  /// The actions since the last time this was asked, with their fields other than that of the user.
  func seen() async throws -> [FakeService.Seen] {
    try JSONDecoder().decode([FakeService.Seen].self, from: await control(.get, "requests", nil))
  }

  /// The keys as IAM has them.
  func keys() async throws -> [Key] {
    try JSONDecoder().decode([Key].self, from: await control(.get, "keys", nil))
  }

  @discardableResult
  private func control(_ method: HTTPRequest.Method, _ name: String, _ body: Data?) async throws -> Data {
    var request = HTTPRequest(method, try HTTPAddress("\(root)/_/\(user)/\(name)"))
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0))) }
    return try await HTTPClient(HTTPSettings()).send(request).body.withBytes { Data($0) }
  }
}

extension AWSRun {
  /// A new run: nothing is signed in.
  func accessKeys(_ declared: [String: Connection.Value] = [:]) throws -> any KeyIssuing {
    try #require(try backend(AccessKeyBackend.backend, declared).issuer)
  }

  static func place(_ user: String) -> Destination {
    Destination(
      type: "aws-keys",
      location: AccessKeyBackend.backend.issuer?.place.location(of: ["user": user], through: nil) ?? "")
  }
}

extension KeyIssuing {
  /// What a test does to a key, by name.
  func perform(_ operation: AccessKeyOperation, _ id: String, at place: Destination) async throws -> IssuedKeyEnd? {
    switch operation {
    case .list: _ = try await list(at: place)
    case .mint: _ = try await mint("keyplan/s/k/1", at: place)
    case .disable: return try await disable(id, label: "keyplan/s/k/1", at: place)
    case .revoke: return try await revoke(id, at: place)
    }
    return nil
  }
}

enum AccessKeyOperation: String, CaseIterable, Sendable {
  case list, mint, disable, revoke

  /// The action of IAM that it needs.
  var action: String {
    switch self {
    case .list: "ListAccessKeys"
    case .mint: "CreateAccessKey"
    case .disable: "UpdateAccessKey"
    case .revoke: "DeleteAccessKey"
    }
  }
}
