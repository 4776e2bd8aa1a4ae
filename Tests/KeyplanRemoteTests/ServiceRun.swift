import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization

@testable import KeyplanRemote
@testable import KeyplanServices

/// One run against a place, through the ports.
struct ServiceRun: Sendable {
  let service: RemoteService
  let pauses: Pauses
  let place: RemotePlace

  private var backend: BackendDescription { BackendDescription("test") }
  private var destination: Destination { Destination(type: "test", location: "place") }

  var source: RemoteSource {
    RemoteSource(service, backend) { [place] in RemoteSource.Address(place: place, name: $0.location) }
  }
  var target: RemoteTarget { RemoteTarget(service, backend) { [place] _ in place } }

  /// What a target shows of one name.
  enum Shown: Equatable {
    case missing
    case value(String)
    case other
    case marked(String?)
    case failed(AccessFailure.Kind)
  }

  func look(_ names: String...) async -> [Shown] {
    let sight = await target.look(TargetQuestion(names: Set(names)), at: destination)
    return names.map { name in
      switch sight.answer {
      case .failed(let failure): .failed(failure.kind)
      case .marks(let marks): marks[name].map { .marked($0?.text) } ?? .missing
      case .values(let values):
        switch values[name] {
        case nil: .missing
        case .other: .other
        case .failed(let failure): .failed(failure.kind)
        case .text(let secret): .value(secret.text)
        }
      }
    }
  }

  func sight(_ question: TargetQuestion) async -> TargetSight { await target.look(question, at: destination) }

  /// What a source answers about names.
  func read(_ names: String...) async -> [Shown] {
    let references = names.map { Reference(scheme: "test", location: $0, isLocal: false) }
    return await source.read(references).map { answer in
      switch answer {
      case .missing: .missing
      case .failed(let failure): .failed(failure.kind)
      case .value(let secret): .value(secret.text)
      }
    }
  }

  /// The marks that were seen, as what a write expects.
  func marks(_ names: String...) async -> [String: Mark?] {
    guard case .marks(let marks) = await sight(TargetQuestion(names: Set(names))).answer else { return [:] }
    return marks
  }

  enum Wrote: Equatable { case done, stale, refused(AccessFailure.Kind), unknown, notAtAll(AccessFailure.Kind) }

  func write(
    _ values: [String: String], removing: [String] = [], expecting expected: [String: Mark?]? = nil
  ) async -> [String: Wrote] {
    await write(bytes: values.mapValues { Array($0.utf8) }, removing: removing, expecting: expected)
  }

  func write(
    bytes values: [String: [UInt8]], removing: [String] = [], expecting expected: [String: Mark?]? = nil
  ) async -> [String: Wrote] {
    let results = await results(bytes: values, removing: removing, expecting: expected)
    switch results {
    case .failure(let failure):
      let names = Array(values.keys) + removing
      return Dictionary(names.map { ($0, .notAtAll(failure.kind)) }) { first, _ in first }
    case .success(let results):
      return results.mapValues { result in
        switch result {
        case .done: .done
        case .stale: .stale
        case .refused(let failure): .refused(failure.kind)
        case .unknown: .unknown
        }
      }
    }
  }

  func results(
    bytes values: [String: [UInt8]], removing: [String] = [], expecting expected: [String: Mark?]? = nil
  ) async -> Result<[String: WriteResult], AccessFailure> {
    let set = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: SecretBox($0.value)) }
    do throws(AccessFailure) {
      return .success(
        try await target.write(TargetChanges(set: set, remove: removing, expected: expected), at: destination))
    } catch {
      return .failure(error)
    }
  }
}

extension SecretBox {
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// The pauses that a run would have made.
final class Pauses: Sendable {
  private let made = Mutex<[Duration]>([])

  func add(_ pause: Duration) { made.withLock { $0.append(pause) } }
  var list: [Duration] { made.withLock { $0 } }
}
