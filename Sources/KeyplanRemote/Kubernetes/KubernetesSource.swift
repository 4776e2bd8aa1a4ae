import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Keys of secrets in a cluster: `kubernetes://namespace/secret#key`.
struct KubernetesSource: SecretSource {
  let clusters: Clusters

  var backend: BackendDescription { KubernetesBackend.backend }
  var connection: Connection? { clusters.context.connection }

  func read(_ references: [Reference]) async -> [SourceAnswer] {
    var answers = [SourceAnswer](repeating: .unreadable(RemoteMessages.noPlace), count: references.count)
    var places: [SecretPlace: [Int]] = [:]
    for (index, reference) in references.enumerated() {
      guard let place = SecretPlace(reference: reference.location) else { continue }
      places[place, default: []].append(index)
    }
    await withTaskGroup(of: ([Int], Result<SecretObject?, RemoteFailure>).self) { group in
      for (place, indices) in places {
        group.addTask { (indices, await object(place)) }
      }
      for await (indices, result) in group {
        for index in indices { answers[index] = Self.answer(references[index].selector, result) }
      }
    }
    return answers
  }

  private func object(_ place: SecretPlace) async -> Result<SecretObject?, RemoteFailure> {
    do throws(RemoteFailure) {
      return .success(try await clusters.session(nil).object(place))
    } catch {
      return .failure(error)
    }
  }

  private static func answer(_ key: String?, _ result: Result<SecretObject?, RemoteFailure>) -> SourceAnswer {
    let object: SecretObject
    switch result {
    case .failure(let failure): return .failed(failure.asAccess)
    case .success(nil): return .missing(reason: KubernetesMessages.noSuchSecret)
    case .success(let found?): object = found
    }
    let name: String
    if let key {
      name = key
    } else {
      guard let only = object.names.first else { return .missing(reason: KubernetesMessages.noKeys) }
      guard object.names.count == 1 else { return .unreadable(KubernetesMessages.severalKeys) }
      name = only
    }
    guard object.contains(name) else { return .missing(reason: KubernetesMessages.noSuchKey) }
    guard let value = object.value(name) else { return .unreadable(KubernetesMessages.notBase64Value) }
    if let fault = value.withBytes({ ValueFault(in: $0) }) { return .unreadable(fault.sentence) }
    return .value(value)
  }
}

extension ClusterSession {
  /// Reads a secret; nil if the server has none of this name.
  func object(_ place: SecretPlace) async throws(RemoteFailure) -> SecretObject? {
    let answer = try await send(Call(.get, place.path))
    switch answer.meaning {
    case .missing: return nil
    case .ok:
      guard let object = answer.json.flatMap({ SecretObject($0) }) else {
        throw RemoteFailure(.unreadable, KubernetesMessages.notKubernetes(host))
      }
      return object
    case .denied: throw failure(answer, hint: KubernetesMessages.deniedHint("get", place))
    default: throw failure(answer)
    }
  }
}
