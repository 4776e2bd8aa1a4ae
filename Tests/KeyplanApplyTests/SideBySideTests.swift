import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import Testing

/// Outside steps run side by side, eight at most.
@Suite struct SideBySideTests {
  /// A target that lets nobody go on until eight are in it, and remembers how many were.
  private final class Gate: SecretTarget {
    let backend = BackendDescription("memory", target: TargetGrammar(fields: []))
    private let state = Mutex(State())

    private struct State {
      var inside = 0
      var most = 0
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    var most: Int { state.withLock { $0.most } }

    func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
      TargetSight(.values([:]))
    }

    func write(
      _ changes: TargetChanges, at destination: Destination
    ) async throws(AccessFailure) -> [String: WriteResult] {
      await withCheckedContinuation { continuation in
        let free = state.withLock { state in
          state.inside += 1
          state.most = max(state.most, state.inside)
          state.waiting.append(continuation)
          guard state.inside >= 8 else { return [CheckedContinuation<Void, Never>]() }
          defer { state.waiting = [] }
          return state.waiting
        }
        for one in free { one.resume() }
      }
      state.withLock { $0.inside -= 1 }
      return changes.all(.done())
    }
  }

  @Test("eight at a time, never nine")
  func bound() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    for number in 0..<8 { world.send("t\(number)", ["K": "a"], to: place("p\(number)")) }
    let gate = Gate()
    #expect(try await run(world, gate).isComplete)
    #expect(gate.most == 8)
  }

  @Test("a ninth waits until one is done")
  func ninth() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    for number in 0..<40 { world.send("t\(number)", ["K": "a"], to: place("p\(number)")) }
    let crowd = Crowd()
    #expect(try await run(world, crowd).isComplete)
    #expect(crowd.most <= 8)
  }

  /// A target that gives way a few times, so that others come in.
  private final class Crowd: SecretTarget {
    let backend = BackendDescription("memory", target: TargetGrammar(fields: []))
    private let inside = Mutex((now: 0, most: 0))

    var most: Int { inside.withLock { $0.most } }

    func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
      TargetSight(.values([:]))
    }

    func write(
      _ changes: TargetChanges, at destination: Destination
    ) async throws(AccessFailure) -> [String: WriteResult] {
      inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      for _ in 0..<20 { await Task.yield() }
      inside.withLock { $0.now -= 1 }
      return changes.all(.done())
    }
  }

  /// A source that gives way a few times while it removes.
  private final class Drawer: RemovableSource {
    let backend = BackendDescription(
      "mem", reference: ReferenceGrammar(.file, example: "mem://name", isLocal: false, isRemovable: true))
    let inside = Mutex((now: 0, most: 0))
    let source: MemorySource

    init(_ source: MemorySource) { self.source = source }

    func read(_ references: [Reference]) async -> [SourceAnswer] { await source.read(references) }

    func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
      inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      for _ in 0..<20 { await Task.yield() }
      try await source.remove(reference, holding: value)
      inside.withLock { $0.now -= 1 }
    }
  }

  @Test("originals are removed one after the other: they may stand in one file")
  func removals() async throws {
    var world = World()
    for number in 0..<9 {
      world.adopt("k\(number)", from: "o\(number)", isRemoved: true)
      world.say("\(number)", at: "o\(number)")
    }
    let plan = try await world.plan()
    let drawer = Drawer(world.source)
    let observer = Observer(fingerprints: world.store.copy(), sources: [drawer], targets: [])
    let outcome = try await Applier(
      store: world.store, observer: observer, manifest: world.manifest, clock: { start }
    ).apply(plan)
    #expect(outcome.isComplete)
    #expect(drawer.inside.withLock { $0.most } == 1)
  }

  private func run(_ world: World, _ target: some SecretTarget) async throws -> Outcome {
    let observer = Observer(fingerprints: world.store.copy(), sources: [world.source], targets: [target])
    let observed = await observer.observe(world.manifest, recorded: try world.store.recorded())
    let (plan, _) = Plan.reconciling(world.manifest, with: observed, at: start)
    return try await Applier(store: world.store, observer: observer, manifest: world.manifest, clock: { start })
      .apply(plan)
  }
}
