import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The machine of one run: its variables, a home directory of its own, and pauses that are only recorded.
struct RemoteWorld: Sendable {
  var variables: [String: String] = ["PATH": "/usr/bin:/bin"]
  let home: Scratch
  let pauses = Pauses()
  /// The programs that were started.
  let started = Started()

  init() throws { home = try Scratch() }

  final class Started: Sendable {
    private let list = Mutex<[ProgramCall]>([])
    func add(_ call: ProgramCall) { list.withLock { $0.append(call) } }
    var calls: [ProgramCall] { list.withLock { $0 } }
  }

  var environment: RemoteEnvironment {
    var http = HTTPSettings()
    // Longer than all tests together.
    http.deadline = .seconds(600)
    return RemoteEnvironment(
      variables: variables, home: home.path, folder: home.path, http: http,
      transport: { [pauses] settings in
        var transport = RemoteTransport(settings, now: { 1_800_000_000 })
        transport.pause = { pauses.add($0) }
        return transport
      },
      read: { [variables] reference in Self.read(reference, variables) },
      programs: TestPrograms(started: started))
  }

  private static func read(_ reference: Reference, _ variables: [String: String]) -> SourceAnswer {
    if reference.scheme == "env" {
      return variables[reference.location].map { .value(SecretBox(Array($0.utf8))) } ?? .missing()
    }
    guard let data = FileManager.default.contents(atPath: reference.location) else { return .missing() }
    var bytes = Array(data)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return .value(SecretBox(bytes))
  }

  func context(
    _ backend: BackendDescription, _ values: [String: Connection.Value] = [:]
  ) throws -> ConnectionContext {
    let name = try #require(Identifier<Connection>(values.isEmpty ? backend.name : "test"))
    return ConnectionContext(Connection(name, to: backend, values), to: backend, in: environment)
  }
}

/// Runs programs with nothing but the variables of the call.
struct TestPrograms: ProgramRunning {
  let started: RemoteWorld.Started

  func run(_ call: ProgramCall) async -> ProgramResult {
    started.add(call)
    let process = Child.process(call.arguments)
    process.environment = call.variables.merging(["PATH": "/usr/bin:/bin"]) { first, _ in first }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return .failed(reason: "It was not found.") }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return .ended(code: process.terminationStatus, output: SecretBox(Array(data)), standardError: SecretBox([]))
  }
}

/// A vendor's own client in `.build-judges/` (scripts/setup-judges.sh).
enum Peer {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func path(_ name: String) -> String? {
    let path = root.appending(path: ".build-judges/bin/\(name)").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }
}

/// A target at one place, through the port.
struct PortRun: Sendable {
  /// Its files are gone with it.
  let world: RemoteWorld
  let target: any SecretTarget
  let destination: Destination

  func write(
    _ values: [String: String], removing: [String] = [], expecting expected: [String: Mark?]? = nil,
    takingOver: Set<String> = []
  ) async -> [String: ServiceRun.Wrote] {
    let set = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: SecretBox(Array($0.value.utf8))) }
    let changes = TargetChanges(set: set, remove: removing, expected: expected, takesOver: takingOver)
    do throws(AccessFailure) {
      return try await target.write(changes, at: destination).mapValues { result in
        switch result {
        case .done: .done
        case .stale: .stale
        case .refused(let failure): .refused(failure.kind)
        case .unknown: .unknown
        }
      }
    } catch {
      return Dictionary(changes.names.map { ($0, .notAtAll(error.kind)) }) { first, _ in first }
    }
  }

  func results(_ values: [String: String], removing: [String] = []) async -> Result<
    [String: WriteResult], AccessFailure
  > {
    let set = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: SecretBox(Array($0.value.utf8))) }
    do throws(AccessFailure) {
      return .success(try await target.write(TargetChanges(set: set, remove: removing), at: destination))
    } catch {
      return .failure(error)
    }
  }

  func values(_ names: String...) async -> [String: String]? {
    guard case .values(let values) = await target.read(Set(names), at: destination) else { return nil }
    return values.mapValues { if case .text(let secret) = $0 { secret.text } else { "(other)" } }
  }

  func marks(_ names: String...) async -> [String: Mark?]? {
    guard case .marks(let marks) = await target.read(Set(names), at: destination) else { return nil }
    return marks
  }

  func failure(_ names: String...) async -> AccessFailure? {
    guard case .failed(let failure) = await target.read(Set(names), at: destination) else { return nil }
    return failure
  }
}
