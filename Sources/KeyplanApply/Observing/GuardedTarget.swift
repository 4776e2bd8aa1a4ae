internal import KeyplanModel
internal import KeyplanPorts

/// A target that is limited to its lane and to the places of its connection. Values that were written through an earlier
/// connection are neither read nor withdrawn.
struct GuardedTarget: SecretTarget {
  let target: any SecretTarget
  /// Nil if requests are not limited.
  let lane: Lane?

  var backend: BackendDescription { target.backend }
  var connection: Connection? { target.connection }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    guard leads(to: destination) else { return TargetSight(.failed(.elsewhere(scheme))) }
    guard let lane else { return await target.look(question, at: destination) }
    return await lane.pass { await target.look(question, at: destination) }
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    guard leads(to: destination) else { throw .elsewhere(scheme) }
    guard let lane else { return try await target.write(changes, at: destination) }
    return try await lane.pass { () async throws(AccessFailure) in try await target.write(changes, at: destination) }
  }

  func removeLeftovers(at destination: Destination) async {
    if leads(to: destination) { await target.removeLeftovers(at: destination) }
  }

  private func leads(to destination: Destination) -> Bool { connection?.leads(to: destination) ?? true }
}
