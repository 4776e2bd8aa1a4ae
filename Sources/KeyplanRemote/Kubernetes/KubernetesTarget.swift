import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// A secret in a cluster, as a target. It may have keys of other owners, which stay unchanged.
struct KubernetesTarget: SecretTarget {
  let clusters: Clusters

  var backend: BackendDescription { KubernetesBackend.backend }
  var connection: Connection? { clusters.context.connection }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      let (session, place) = try await location(destination)
      var sight = TargetSight(.values([:]))
      for name in question.intent?.setting ?? [] where !SecretPlace.canHave(name) {
        sight.writeBlockers.setting[name] = WriteBlocker(reason: RemoteMessages.invalidName)
      }
      guard let object = try await session.object(place) else { return sight }
      var values: [String: TargetValue] = [:]
      for name in question.names where object.contains(name) {
        let value = object.value(name)
        let isText = value.map { $0.withBytes { ValueFault(in: $0) } != .holdsNUL } ?? false
        values[name] = if let value, isText { .text(value) } else { .other }
      }
      sight.answer = .values(values)
      if question.intent != nil, object.isImmutable {
        sight.writeBlockers.place = WriteBlocker(
          reason: KubernetesMessages.immutableSecret, hint: KubernetesMessages.immutableHint)
      }
      return sight
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    do throws(RemoteFailure) {
      let (session, place) = try await location(destination)
      return try await SecretApply(session, place, changes).results()
    } catch {
      throw error.asAccess
    }
  }

  private func location(
    _ destination: Destination
  ) async throws(RemoteFailure) -> (ClusterSession, SecretPlace) {
    guard let fields = backend.target?.values(at: destination.location), let place = SecretPlace(fields) else {
      throw RemoteFailure(.unreadable, RemoteMessages.noPlace)
    }
    return (try await clusters.session(fields["context"]), place)
  }
}
