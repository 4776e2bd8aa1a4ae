import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization

@testable import KeyplanRemote
@testable import KeyplanServices

/// One run with a connection, on a machine with these variables.
struct VaultRun: Sendable {
  let backend: VaultBackend
  let requests: Requests
  private let values: [String: Connection.Value]
  private let environment: RemoteEnvironment

  /// The requests of a run, and what a test does just before one of them.
  final class Requests: Sendable {
    private let sent = Mutex<[String]>([])
    let before = Mutex<(@Sendable (String) async -> Void)?>(nil)

    var all: [String] { sent.withLock { $0 } }
    func count(_ part: String) -> Int { all.count { $0.contains(part) } }
    func add(_ request: HTTPRequest) -> String {
      let line = "\(request.method.rawValue) \(request.address.text)"
      sent.withLock { $0.append(line) }
      return line
    }
  }

  /// - Parameters:
  ///   - values: of the connection, in addition to the address.
  ///   - variables: of the environment.
  init(
    _ address: String?, _ values: [String: Connection.Value] = [:], variables: [String: String] = [:],
    home: String? = nil, pause: @escaping @Sendable (Duration) async -> Void = { _ in }
  ) {
    var values = values
    if let address { values["address"] = .text(address) }
    let requests = Requests()
    self.requests = requests
    var http = HTTPSettings()
    // Longer than all tests together.
    http.deadline = .seconds(600)
    environment = RemoteEnvironment(
      variables: variables, home: home, folder: "/", http: http,
      transport: { settings in
        let real = RemoteTransport(settings, now: { Int64(Date().timeIntervalSince1970) })
        return RemoteTransport(
          send: { (request) async throws(HTTPError) in
            let line = requests.add(request)
            if let before = requests.before.withLock({ $0 }) { await before(line) }
            return try await real.send(request)
          }, pause: pause, now: real.now)
      },
      read: { reference in
        switch reference.scheme {
        case "env":
          variables[reference.location].map { .value(SecretBox(Array($0.utf8))) } ?? .missing()
        default:
          FileManager.default.contents(atPath: reference.location).map { .value(SecretBox(Array($0))) } ?? .missing()
        }
      }, programs: NoPrograms())
    self.values = values
    backend = VaultBackend(Self.context(VaultBackend.backend, values, environment))
  }

  /// Another backend, through a connection with the same fields.
  func keys() -> VaultKeysBackend { VaultKeysBackend(Self.context(VaultKeysBackend.backend, values, environment)) }

  private static func context(
    _ backend: BackendDescription, _ values: [String: Connection.Value], _ environment: RemoteEnvironment
  ) -> ConnectionContext {
    guard let name = Identifier<Connection>("bao") else { preconditionFailure("not a name") }
    return ConnectionContext(Connection(name, to: backend, values), to: backend, in: environment)
  }

  /// With a token.
  init(_ bao: OpenBao, token: String = "root", _ values: [String: Connection.Value] = [:]) {
    self.init(
      bao.address, values.merging(["token": .variable("TOKEN")]) { first, _ in first }, variables: ["TOKEN": token])
  }

  private struct NoPrograms: ProgramRunning {
    func run(_ call: ProgramCall) async -> ProgramResult { .failed(reason: "There are no programs.") }
  }

  // MARK: Reading

  enum Shown: Equatable {
    case value(String)
    case missing(String? = nil)
    case failed(AccessFailure.Kind)
  }

  static func reference(_ location: String, _ selector: String? = nil) -> Reference {
    Reference(scheme: "bao", location: location, selector: selector, isLocal: false)
  }

  static func place(_ path: String) -> Destination { Destination(type: "bao", location: path) }

  func answer(_ location: String, _ selector: String? = nil) async -> SourceAnswer {
    await backend.source?.read([Self.reference(location, selector)]).first ?? .unreadable("No source.")
  }

  func read(_ location: String, _ selector: String? = nil) async -> Shown {
    switch await answer(location, selector) {
    case .value(let secret): .value(secret.text)
    case .missing(let reason): .missing(reason)
    case .failed(let failure): .failed(failure.kind)
    }
  }

  /// Why a secret cannot be read.
  func failure(_ location: String, _ selector: String? = nil) async -> AccessFailure? {
    if case .failed(let failure) = await answer(location, selector) { failure } else { nil }
  }

  // MARK: Writing

  func look(_ names: Set<String>, at path: String) async -> [String: String]? {
    guard
      case .values(let values)? = await backend.target?.look(TargetQuestion(names: names), at: Self.place(path)).answer
    else { return nil }
    return values.mapValues { if case .text(let secret) = $0 { secret.text } else { "(other)" } }
  }

  func write(
    _ values: [String: String], removing: [String] = [], at path: String
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let set = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: SecretBox(Array($0.value.utf8))) }
    return try await backend.target?.write(TargetChanges(set: set, remove: removing), at: Self.place(path)) ?? [:]
  }
}

extension Connection.Value {
  /// A secret in a variable.
  static func variable(_ name: String) -> Connection.Value {
    .secret(Reference(scheme: "env", location: name, isLocal: true))
  }

  static func path(_ path: String) -> Connection.Value {
    .file(Reference(scheme: "file", location: path, isFile: true, isLocal: true))
  }
}
