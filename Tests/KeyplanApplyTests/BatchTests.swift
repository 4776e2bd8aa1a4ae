import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import Testing

/// Steps outside begin and end in batches: two commits for all of one.
@Suite struct BatchTests {
  /// A store that counts its commits, and what each of them has open afterwards.
  private final class Ledger: RecordStore, TokenStore, Fingerprinting {
    let store: MemoryStore
    private let state = Mutex((commits: 0, mostOpen: 0, reads: 0))

    init(_ store: MemoryStore) { self.store = store }

    var commits: Int { state.withLock { $0.commits } }
    var mostOpen: Int { state.withLock { $0.mostOpen } }
    var reads: Int { state.withLock { $0.reads } }

    func recorded() throws(StoreError) -> Recorded { try store.recorded() }

    func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox {
      state.withLock { $0.reads += 1 }
      return try store.value(of: key, version: version)
    }

    func values(of keys: [Identifier<Key>]) throws(StoreError) -> [SecretBox] {
      state.withLock { $0.reads += 1 }
      return try store.values(of: keys)
    }

    func commit(_ changes: [RecordChange], expecting serial: Int64, at now: Moment) throws(StoreError) -> Int64 {
      let next = try store.commit(changes, expecting: serial, at: now)
      let open = try store.recorded().interrupted.count
      state.withLock { $0 = ($0.commits + 1, max($0.mostOpen, open), $0.reads) }
      return next
    }

    func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens? { try store.tokens(of: account) }

    func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
      store.fingerprint(value, of: key)
    }

    func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
      store.fingerprint(token, of: account)
    }
  }

  /// A target that looks, before it is written, whether the store knows of it; and says what the time is then.
  private final class Witness: SecretTarget {
    let backend = BackendDescription("memory", target: TargetGrammar(fields: []))
    private let target = MemoryTarget()
    private let store: MemoryStore
    private let unknown = Mutex(0)
    private let written = Mutex(0)
    /// After how many writes a second passes; 0 for never.
    private let pace: Int

    init(_ store: MemoryStore, pace: Int = 0) { (self.store, self.pace) = (store, pace) }

    var unknownCount: Int { unknown.withLock { $0 } }
    var now: Moment {
      Moment(seconds: start.seconds + (pace == 0 ? 0 : Int64(written.withLock { $0 } / pace)))
    }

    func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
      await target.look(question, at: destination)
    }

    func write(
      _ changes: TargetChanges, at destination: Destination
    ) async throws(AccessFailure) -> [String: WriteResult] {
      let recorded = try? store.recorded()
      let isKnown = recorded?.attempts.values.contains { $0.destination == destination } ?? false
      if !isKnown { unknown.withLock { $0 += 1 } }
      let results = try await target.write(changes, at: destination)
      written.withLock { $0 += 1 }
      return results
    }
  }

  private func world(_ count: Int) -> World {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    for number in 0..<count { world.send("t\(number)", ["K": "a"], to: place("p\(number)")) }
    return world
  }

  private func apply(
    _ world: World, _ ledger: Ledger, _ target: Witness, tell: @escaping @Sendable (StepReport) -> Void = { _ in }
  ) async throws -> Outcome {
    let observer = Observer(fingerprints: world.store.copy(), sources: [world.source], targets: [target])
    let observed = await observer.observe(world.manifest, recorded: try world.store.recorded())
    let (plan, _) = Plan.reconciling(world.manifest, with: observed, at: start)
    return try await Applier(
      store: ledger, observer: observer, manifest: world.manifest, clock: { target.now }, tell: tell
    ).apply(plan)
  }

  @Test(
    "cost two commits and one reading of values, however many targets there are, and are no more than eight for thousands"
  )
  func commits() async throws {
    for (count, commits, reads) in [(1, 3, 1), (100, 3, 1), (512, 3, 1), (513, 5, 2), (8 * 512 + 1, 17, 8)] {
      let world = world(count)
      let ledger = Ledger(world.store)
      #expect(try await apply(world, ledger, Witness(world.store)).isComplete)
      #expect(ledger.commits == commits, "\(count) targets")
      #expect(ledger.reads == reads, "\(count) targets")
      #expect(try world.store.recorded().targets.count == count)
      #expect(try world.store.recorded().interrupted.isEmpty)
    }
  }

  @Test("leave no more open than one batch, and write nothing that is not written down before")
  func open() async throws {
    let world = world(520)
    let (ledger, target) = (Ledger(world.store), Witness(world.store))
    #expect(try await apply(world, ledger, target).isComplete)
    #expect(ledger.mostOpen == 512)
    #expect(target.unknownCount == 0)
  }

  @Test("are recorded every second too, so that a slow place does not keep others' results waiting")
  func paced() async throws {
    let world = world(100)
    let ledger = Ledger(world.store)
    #expect(try await apply(world, ledger, Witness(world.store, pace: 10)).isComplete)
    // Once for the key, once as they begin, and then once for each of the ten seconds that pass.
    #expect((11...13).contains(ledger.commits))
  }

  @Test("are told as done only once that is recorded")
  func told() async throws {
    let world = world(520)
    let store = world.store
    let early = Mutex(0)
    let outcome = try await apply(world, Ledger(store), Witness(store)) { report in
      guard case .target(let id) = report.step.address, report.result == .done else { return }
      if (try? store.recorded().targets[id]) ?? nil == nil { early.withLock { $0 += 1 } }
    }
    #expect(outcome.isComplete)
    #expect(early.withLock { $0 } == 0)
  }

  @Test("that die in the middle are interrupted, and the next apply finds what was written")
  func died() async throws {
    let world = world(520)
    let plan = try await world.plan()
    _ = try await world.apply(plan, Faults(.deathAfter, at: 400))
    let recorded = try world.store.recorded()
    #expect(recorded.interrupted.count <= 512)
    #expect(!recorded.interrupted.isEmpty)
    #expect(try await world.apply().isComplete)
    #expect(try world.store.recorded().interrupted.isEmpty)
    #expect(try await world.plan().isEmpty)
    for number in 0..<520 { #expect(world.held(at: place("p\(number)")) == ["K": "one"]) }
  }
}
