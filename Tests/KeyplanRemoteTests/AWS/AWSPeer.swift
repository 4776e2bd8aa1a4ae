import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

/// An independent implementation of AWS's services in a process of its own. It checks signatures and policies.
final class AWSPeer: Sendable {
  enum Kind: String, CaseIterable, Sendable { case moto, ministack }
  enum User: CaseIterable, Sendable {
    case admin
    /// May read secrets and parameters, but not several secrets with one request.
    case reader
    /// Has no rights.
    case stranger
  }

  struct Known: Decodable, Sendable {
    let address: String
    let account: String
    /// A role that the admin may assume, and one that a token of `https://token.example` is for.
    let role: String
    let webRole: String
    let admin: [String]
    let reader: [String]
    let stranger: [String]
  }

  private static let moto = Result { try AWSPeer(.moto) }
  private static let ministack = Result { try AWSPeer(.ministack) }

  private let server: FixtureServer
  private let known: Known

  static func known(_ kind: Kind) throws -> Known {
    switch kind {
    case .moto: try moto.get().known
    case .ministack: try ministack.get().known
    }
  }

  /// A Python with both; nil if there is none.
  static let python: String? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let usual = root.appending(path: ".build-venv-aws/bin/python").path
    let path = ProcessInfo.processInfo.environment["KEYPLAN_TEST_AWS_PYTHON"] ?? usual
    return access(path, X_OK) == 0 ? path : nil
  }()

  private init(_ kind: Kind) throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures").standardized
    server = try FixtureServer(
      [fixtures.appending(path: "aws_peer.py").path, kind.rawValue, try #require(Self.python)])
    known = try JSONDecoder().decode(Known.self, from: server.greeting)
  }

  /// A machine of one of its users.
  static func run(_ kind: Kind, as user: User = .admin) throws -> AWSRun {
    let known = try known(kind)
    switch user {
    case .admin: return run(known, known.admin)
    case .reader: return run(known, known.reader)
    case .stranger: return run(known, known.stranger)
    }
  }

  static func run(_ known: Known, _ key: [String]) -> AWSRun {
    var run = AWSRun()
    run.variables["AWS_ACCESS_KEY_ID"] = key[0]
    run.variables["AWS_SECRET_ACCESS_KEY"] = key[1]
    run.variables["AWS_ENDPOINT_URL"] = known.address
    return run
  }
}

/// What the tests against an implementation of AWS have in common.
protocol AWSPeerSuite {}

extension AWSPeerSuite {
  /// A name that no other test has.
  static func fresh() -> String { "t\(UUID().uuidString.prefix(8).lowercased())" }

  static func reference(_ location: String, field: String? = nil) -> Reference {
    Reference(scheme: "aws", location: location, selector: field, isLocal: false)
  }

  func write(_ values: [String: String], _ target: any SecretTarget, at place: String) async throws {
    let set = values.sorted { $0.key < $1.key }.map { ($0.key, SecretBox(Array($0.value.utf8))) }
    let results = try await target.write(
      TargetChanges(set: set, remove: []), at: Destination(type: "aws", location: place))
    for (name, result) in results { #expect(result == .done(), "\(name)") }
  }
}
