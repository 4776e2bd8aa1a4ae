import Foundation
import KeyplanApply
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization

@testable import KeyplanRemote
@testable import KeyplanServices

/// A machine with variables, files and programs, on which a connection to AWS is used.
struct AWSRun: Sendable {
  var variables: [String: String] = ["AWS_EC2_METADATA_DISABLED": "true", "AWS_REGION": "eu-central-1"]
  /// By absolute path.
  var files: [String: String] = [:]
  var programs = FakePrograms()
  /// Replaces the network; nil for the real one.
  var send: (@Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse)?
  var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  let pauses = Pauses()
  /// What the clients were made with.
  let settings = Settings()

  final class Settings: Sendable {
    private let used = Mutex<[HTTPSettings]>([])
    func add(_ settings: HTTPSettings) { used.withLock { $0.append(settings) } }
    var list: [HTTPSettings] { used.withLock { $0 } }
  }

  static let home = "/home/somebody"

  var environment: RemoteEnvironment {
    let (files, variables, send, now, pauses, used) = (files, variables, send, now, pauses, settings)
    var settings = HTTPSettings()
    // Longer than all tests together.
    settings.deadline = .seconds(600)
    return RemoteEnvironment(
      variables: variables, home: Self.home, folder: "/project", http: settings,
      transport: { settings in
        used.add(settings)
        var transport = RemoteTransport(settings, now: now)
        if let send { transport.send = send }
        transport.pause = { pauses.add($0) }
        return transport
      },
      read: { reference in
        switch reference.scheme {
        case "env":
          return variables[reference.location].map { .value(SecretBox(Array($0.utf8))) } ?? .missing()
        default:
          return files[reference.location].map { .value(SecretBox(Array($0.utf8))) } ?? .missing()
        }
      },
      programs: programs)
  }

  /// A new run: nothing is signed in.
  func backend(
    _ backend: BackendDescription, _ declared: [String: Connection.Value] = [:]
  ) throws -> any RemoteBackend {
    let name = Identifier<Connection>(backend.name)
    let connection = Connection(try required(name), to: backend, declared)
    return try required(RemoteBackends.backend(ConnectionContext(connection, to: backend, in: environment)))
  }

  func secretsManager(_ declared: [String: Connection.Value] = [:]) throws -> any RemoteBackend {
    try backend(SecretsManagerBackend.backend, declared)
  }

  func parameterStore(_ declared: [String: Connection.Value] = [:]) throws -> any RemoteBackend {
    try backend(ParameterStoreBackend.backend, declared)
  }

  func configuration(_ declared: [String: Connection.Value] = [:]) async throws -> AWSConfiguration {
    let backend = SecretsManagerBackend.backend
    let connection = Connection(try required(Identifier("awssm")), to: backend, declared)
    return try await AWSConfiguration.load(for: ConnectionContext(connection, to: backend, in: environment))
  }

  /// What the search for a credential yields.
  func credentials(_ declared: [String: Connection.Value] = [:]) async throws -> AWSCredentials {
    let search = AWSCredentialSearch(
      configuration: try await configuration(declared), transport: environment.transport(environment.http),
      settings: environment.http, lane: Lane(width: 4))
    return try await search.credentials()
  }

  /// How the search for a credential fails.
  func failure(_ declared: [String: Connection.Value] = [:]) async -> RemoteFailure? {
    do {
      _ = try await credentials(declared)
      return nil
    } catch {
      return error as? RemoteFailure
    }
  }

  private struct Absent: Error {}

  private func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Absent() }
    return value
  }
}

/// A fake of programs that are run: what each prints.
struct FakePrograms: ProgramRunning {
  var output: [String: String] = [:]
  let calls = Calls()

  final class Calls: Sendable {
    private let made = Mutex<[(arguments: [String], variables: [String: String])]>([])
    func add(_ call: ProgramCall) { made.withLock { $0.append((call.arguments, call.variables)) } }
    var list: [(arguments: [String], variables: [String: String])] { made.withLock { $0 } }
  }

  func run(_ call: ProgramCall) async -> ProgramResult {
    calls.add(call)
    guard let text = output[call.arguments.first ?? ""] else {
      return .ended(code: 3, output: SecretBox([]), standardError: SecretBox([]))
    }
    return .ended(code: 0, output: SecretBox(Array(text.utf8)), standardError: SecretBox([]))
  }
}

/// A fake of services on the network: each answer is found by a part of the request's address or body.
final class FakeAnswers: Sendable {
  struct Seen: Sendable {
    let address: String
    let headers: [String: String]
    let body: String
  }

  private let answers: [(part: String, status: Int, body: String)]
  private let state = Mutex<[Seen]>([])

  init(_ answers: [(part: String, status: Int, body: String)]) { self.answers = answers }

  var seen: [Seen] { state.withLock { $0 } }

  var send: @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    { [self] (request) async throws(HTTPError) in
      let body = request.body?.bytes.text ?? ""
      var headers: [String: String] = [:]
      for (name, value) in request.headers {
        switch value {
        case .open(let text): headers[name] = text
        case .secret(let secret, let prefix): headers[name] = prefix + secret.text
        }
      }
      let line = "\(request.method.rawValue) \(request.address.text)\n\(headers["x-amz-target"] ?? "")\n\(body)"
      state.withLock { $0.append(Seen(address: request.address.text, headers: headers, body: body)) }
      let answer = answers.first { line.contains($0.part) }
      return HTTPResponse(
        status: answer?.status ?? 404, body: SecretBox(Array((answer?.body ?? "").utf8)))
    }
  }
}
