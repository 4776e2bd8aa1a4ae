internal import KeyplanCore

/// A target that is asked and written in its lane, and only at places that its connection still leads to: what is recorded of
/// another place is neither looked for nor withdrawn here.
struct GuardedTarget: SecretTarget {
  let target: any SecretTarget
  /// Nil where nothing limits it.
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

  private func leads(to destination: Destination) -> Bool { connection?.leads(to: destination) ?? true }
}
