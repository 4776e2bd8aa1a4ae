import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

@testable import KeyplanRemote
@testable import KeyplanServices

/// One run with a connection. Pauses are only recorded.
struct CloudKitRun: Sendable {
  enum Shown: Equatable {
    case value(String)
    case missing
    case failed(AccessFailure.Kind)
  }

  let backend: CloudKitBackend
  let pauses = Pauses()

  /// - Parameter clock: by how many seconds the machine's clock is wrong.
  init(_ values: [String: Connection.Value], variables: [String: String], clock: Int64 = 0) {
    var http = HTTPSettings()
    // Longer than all tests together.
    http.deadline = .seconds(600)
    let environment = RemoteEnvironment(
      variables: variables, home: nil, folder: "/", http: http,
      transport: { [pauses] settings in
        var transport = RemoteTransport(settings, now: { Int64(Date().timeIntervalSince1970) + clock })
        transport.pause = { pauses.add($0) }
        return transport
      },
      read: { reference in
        variables[reference.location].map { .value(SecretBox(Array($0.utf8))) } ?? .missing()
      }, programs: NoPrograms())
    guard let name = Identifier<Connection>("phones") else { preconditionFailure("not a name") }
    let connection = Connection(name, to: CloudKitBackend.backend, values)
    backend = CloudKitBackend(ConnectionContext(connection, to: CloudKitBackend.backend, in: environment))
  }

  private struct NoPrograms: ProgramRunning {
    func run(_ call: ProgramCall) async -> ProgramResult { .failed(reason: "There are no programs.") }
  }

  static let place = Destination(type: "phones", location: "(container x)")
  static func reference(_ name: String) -> Reference { Reference(scheme: "phones", location: name, isLocal: false) }

  func read(_ names: String...) async -> [Shown] {
    (await backend.source?.read(names.map { Self.reference($0) }) ?? []).map { answer in
      switch answer {
      case .value(let secret): .value(secret.text)
      case .missing: .missing
      case .failed(let failure): .failed(failure.kind)
      }
    }
  }

  /// Why a secret cannot be read.
  func failure(_ name: String) async -> AccessFailure? {
    let answer = await backend.source?.read([Self.reference(name)]).first
    if case .failed(let failure)? = answer { return failure }
    return nil
  }

  func sight(_ names: String...) async -> TargetSight {
    let question = TargetQuestion(names: Set(names), intent: .init(setting: Set(names), removing: []))
    return await backend.target?.look(question, at: Self.place) ?? TargetSight(.values([:]))
  }

  func values(_ names: some Sequence<String>) async -> [String: String]? {
    let sight = await backend.target?.look(TargetQuestion(names: Set(names)), at: Self.place)
    guard case .values(let values)? = sight?.answer else { return nil }
    return values.mapValues { if case .text(let secret) = $0 { secret.text } else { "(other)" } }
  }

  func write(
    _ values: [String: String], removing: [String] = [], expecting expected: [String: Mark?]? = nil
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let set = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: SecretBox(Array($0.value.utf8))) }
    let changes = TargetChanges(set: set, remove: removing, expected: expected)
    return try await backend.target?.write(changes, at: Self.place) ?? [:]
  }
}

extension WriteResult {
  /// The result without marks and words.
  var word: String {
    switch self {
    case .done: "done"
    case .stale: "stale"
    case .refused(let failure): "refused \(failure.kind.rawValue)"
    case .unknown: "unknown"
    }
  }
}
