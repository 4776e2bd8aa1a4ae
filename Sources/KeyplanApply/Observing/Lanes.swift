internal import KeyplanModel
internal import KeyplanPorts
internal import Synchronization

/// One lane for each host, so that all connections to it together keep to the concurrency that its description allows.
final class Lanes: Sendable {
  private let lanes = Mutex<[String: Lane]>([:])

  /// The lane for a backend's host; nil if requests are not limited. If several descriptions name a host, the lowest limit applies.
  func lane(of backend: BackendDescription, _ connection: Connection?) -> Lane? {
    guard let pace = backend.pace else { return nil }
    let host = connection?.surface?.description ?? backend.name
    return lanes.withLock { lanes in
      let lane = lanes[host] ?? Lane()
      lanes[host] = lane
      lane.narrow(to: pace.concurrency)
      return lane
    }
  }

  /// Limits a target to its lane and to the places of its connection.
  func guarding(_ target: any SecretTarget) -> any SecretTarget {
    let lane = lane(of: target.backend, target.connection)
    return lane == nil && target.connection == nil ? target : GuardedTarget(target: target, lane: lane)
  }
}
