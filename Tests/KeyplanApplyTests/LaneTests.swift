import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import Testing

@testable import KeyplanApply

/// A service with a pace is not asked more at a time than that, by whatever leads there.
@Suite("A host's pace") struct LaneTests {
  /// Counts who is inside; each stays until as many as can be expected are, and for a while longer.
  private final class Room: Sendable {
    private let state = Mutex(State())
    private struct State {
      var inside = 0
      var most = 0
      var visits = 0
      var waiting: [CheckedContinuation<Void, Never>] = []
    }
    /// How many must be inside before anybody leaves.
    let quorum: Int
    init(quorum: Int) { self.quorum = quorum }

    var most: Int { state.withLock { $0.most } }
    var visits: Int { state.withLock { $0.visits } }

    func visit() async {
      await withCheckedContinuation { continuation in
        let free = state.withLock { state -> [CheckedContinuation<Void, Never>] in
          state.inside += 1
          state.visits += 1
          state.most = max(state.most, state.inside)
          state.waiting.append(continuation)
          guard state.inside >= quorum else { return [] }
          defer { state.waiting = [] }
          return state.waiting
        }
        for one in free { one.resume() }
      }
      // Others could come in now, if anything let them.
      for _ in 0..<10 { await Task.yield() }
      state.withLock { $0.inside -= 1 }
    }
  }

  private struct Place: SecretTarget {
    let backend: BackendDescription
    let connection: Connection?
    let room: Room

    func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
      await room.visit()
      return TargetSight(.values([:]))
    }

    func write(
      _ changes: TargetChanges, at destination: Destination
    ) async throws(AccessFailure) -> [String: WriteResult] {
      await room.visit()
      return changes.all(.done())
    }
  }

  private static func backend(_ concurrency: Int?) -> BackendDescription {
    BackendDescription(
      "acme", connection: ConnectionGrammar(hosts: ["acme.example"]), target: TargetGrammar(fields: []),
      pace: concurrency.map { Pace(concurrency: $0) })
  }

  /// Eight targets through two connections to one host, all of them allowed.
  private func world(_ backend: BackendDescription) throws -> (World, [Connection]) {
    let connections: [Connection] = [Connection(named("one"), to: backend), Connection(named("two"), to: backend)]
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    for number in 0..<8 {
      let way = connections[number % 2]
      world.send(
        "t\(number)", ["K": "a"],
        to: Destination(type: way.name.name, location: "p\(number)", surface: way.surface))
    }
    _ = try world.store.commit(
      [.allow(ExternalAccess(.host, "acme.example"), [])], expecting: world.serial, at: world.now)
    return (world, connections)
  }

  private func observer(_ world: World, _ backend: BackendDescription, _ ways: [Connection], _ room: Room) -> Observer {
    Observer(
      fingerprints: world.store.copy(), sources: [world.source],
      targets: ways.map { Place(backend: backend, connection: $0, room: room) }, clock: { start })
  }

  @Test("holds while planning, for all connections to the host together")
  func observing() async throws {
    let backend = Self.backend(2)
    let (world, ways) = try world(backend)
    let room = Room(quorum: 2)
    _ = await observer(world, backend, ways, room).observe(world.manifest, recorded: try world.store.recorded())
    #expect(room.most == 2 && room.visits == 8)
  }

  @Test("is as wide as it likes where nothing limits it")
  func unlimited() async throws {
    let backend = Self.backend(nil)
    let (world, ways) = try world(backend)
    let room = Room(quorum: 8)
    _ = await observer(world, backend, ways, room).observe(world.manifest, recorded: try world.store.recorded())
    #expect(room.most == 8)
  }

  @Test("holds while applying")
  func applying() async throws {
    let backend = Self.backend(1)
    let (world, ways) = try world(backend)
    let room = Room(quorum: 1)
    let observer = observer(world, backend, ways, room)
    let plan = Plan.reconciling(
      world.manifest, with: await observer.observe(world.manifest, recorded: try world.store.recorded()), at: start
    ).plan
    let outcome = try await Applier(
      store: world.store, observer: observer, manifest: world.manifest, clock: { start }
    ).apply(plan)
    #expect(outcome.isComplete && room.most == 1 && room.visits == 24)
  }

  @Test("is that of the slower of two descriptions of one host")
  func narrowest() async {
    let lanes = Lanes()
    let (wide, narrow) = (Self.backend(4), Self.backend(1))
    let connection = Connection(named("one"), to: wide)
    let lane = lanes.lane(of: wide, connection)
    #expect(lanes.lane(of: narrow, Connection(named("two"), to: narrow)) === lane)
    #expect(lanes.lane(of: Self.backend(nil), connection) == nil)
  }
}
