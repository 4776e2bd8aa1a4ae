import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import Testing

/// What is found out only while a plan is carried out, and what the store remembers of the plan.
@Suite struct AppliedPlanTests {
  /// Two targets, and a hook that runs after one of them.
  private func world() -> World {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    world.send("web", ["K": "a"], to: place("web"), hook: reload("web"))
    return world
  }

  private static let invocation = Invocation(
    command: "keyplan apply", recipient: Identifier<Recipient>("ci"),
    job: JobFacts(service: "GitHub", actor: "octocat", workflow: nil, commit: "c0ffee1", url: nil))

  private func apply(_ plan: Plan, in world: World, isWhole: Bool = true) async throws -> Outcome {
    try await Applier(
      store: world.store, observer: world.observer(), hooks: world.hooks, manifest: world.manifest,
      allowances: world.allowances,
      run: AppliedRun(planId: "kp1-test", invocation: Self.invocation, isWhole: isWhole),
      clock: { [now = world.now] in now }
    ).apply(plan)
  }

  private func remembered(_ world: World) throws -> [String] {
    try world.store.recorded().applied.filter { !$0.isIncomplete }.map(\.id)
  }

  private func incomplete(_ world: World) throws -> [String] {
    try world.store.recorded().applied.filter(\.isIncomplete).map(\.id)
  }

  @Test("a plan is remembered as applied once each step is done, and not where one failed, whichever it is")
  func remembered() async throws {
    let complete = world()
    #expect(try await apply(try await complete.plan(), in: complete).isComplete)
    #expect(try remembered(complete) == ["kp1-test"])
    #expect(try incomplete(complete) == [])
    // The step that fails is followed by one that is done.
    let world = world()
    let plan = try await world.plan()
    world.target.fail(AccessFailure(.unreachable, "It is off."), at: place("app"))
    let outcome = try await apply(plan, in: world)
    #expect(outcome.reports.map(words).contains("sync target.app: failed"))
    #expect(outcome.reports.last.map(words) == "run target.web: done")
    #expect(try remembered(world) == [])
    #expect(try incomplete(world) == ["kp1-test"])
    // Nor where the failing one is on the store.
    var stale = self.world()
    stale.declare("b")
    stale.say("two", at: "b")
    let other = try await stale.plan()
    stale.say("three", at: "b")
    #expect(try await apply(other, in: stale).reports.map(words).contains("store key.b: stale"))
    #expect(try remembered(stale) == [])
    #expect(try incomplete(stale) == ["kp1-test"])
  }

  @Test("the store remembers who applied a plan, with which command, and what was done")
  func who() async throws {
    let world = world()
    _ = try await apply(try await world.plan(), in: world)
    let applied = try #require(try world.store.recorded().applied.last)
    #expect(applied.invocation == Self.invocation)
    #expect(applied.at == world.now)
    #expect(applied.done == ["store": 1, "sync": 2, "run": 1])
    #expect(try world.store.recorded().store?.lastPlan == applied)
  }

  @Test("a plan with errors is not complete when all of its steps are done")
  func partial() async throws {
    let world = world()
    #expect(try await apply(try await world.plan(), in: world, isWhole: false).isComplete)
    #expect(try incomplete(world) == ["kp1-test"])
    #expect(try world.store.recorded().applied.last?.done["sync"] == 2)
  }

  @Test("a run in which a step failed before anything was recorded is remembered, and one that changed nothing is not")
  func nothingDone() async throws {
    var failing = World()
    failing.declare("a")
    failing.say("one", at: "a")
    let plan = try await failing.plan()
    failing.source.say(.failed(AccessFailure(.unreachable, "It is off.")), to: remote("a"))
    let serial = try failing.store.recorded().store?.serial
    #expect(try await apply(plan, in: failing).reports.map(words) == ["store key.a: failed"])
    let applied = try #require(try failing.store.recorded().applied.last)
    #expect(applied.isIncomplete && applied.done == [:])
    #expect(try failing.store.recorded().store?.serial == serial.map { $0 + 1 })

    var stale = World()
    stale.declare("a")
    stale.say("one", at: "a")
    let other = try await stale.plan()
    stale.say("two", at: "a")
    let before = try stale.store.recorded().store?.serial
    #expect(try await apply(other, in: stale).reports.map(words) == ["store key.a: stale"])
    #expect(try stale.store.recorded().applied == [])
    #expect(try stale.store.recorded().store?.serial == before)
  }

  @Test("the first commit of a run remembers the plan as begun, before anything outside is changed")
  func begun() async throws {
    let world = world()
    let plan = try await world.plan()
    // As if the process were killed after a commit: the store of that time.
    let commits = CommitCounter(world.store)
    _ = try await Applier(
      store: commits, observer: world.observer(), hooks: world.hooks, manifest: world.manifest,
      allowances: world.allowances,
      run: AppliedRun(planId: "kp1-test", invocation: Self.invocation, isWhole: true),
      clock: { [now = world.now] in now }
    ).apply(plan)
    let states = commits.states
    #expect(states.count > 1 && states.allSatisfy { $0?.id == "kp1-test" })
    #expect(states.map { $0?.isIncomplete == true } == states.indices.map { $0 < states.count - 1 })
  }

  @Test("an untrusted checkout's planning reads no reference that is not recorded, whatever it is for")
  func unrecorded() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    try await world.apply()
    world.declare("b", [remote("secret-place")])
    world.declare("a", [remote("a"), remote("second-place")])
    world.adopt("c", from: "third-place", isRemoved: true)
    for name in ["secret-place", "second-place", "third-place"] { world.say("found", at: name) }
    world.say(nil, at: "a")
    let observation = await world.observer(trusting: false).observe(
      world.manifest, recorded: try world.store.recorded())
    #expect(
      Array(world.source.batches.joined()).allSatisfy { !$0.location.hasSuffix("-place") }, "\(world.source.batches)")
    // As a trusted one does.
    _ = await world.observer(trusting: true).observe(world.manifest, recorded: try world.store.recorded())
    #expect(
      Set(world.source.batches.joined().map(\.location)).isSuperset(of: ["secret-place", "second-place", "third-place"])
    )
    #expect(observation.sources[named("b")] == .deferred)
  }
}

/// Notes what a store remembers of the last plan after each commit.
private final class CommitCounter: RecordStore, TokenStore, Fingerprinting {
  private let store: MemoryStore
  private let noted = Mutex<[AppliedPlan?]>([])

  init(_ store: MemoryStore) { self.store = store }

  var states: [AppliedPlan?] { noted.withLock { $0 } }

  func recorded() throws(StoreError) -> Recorded { try store.recorded() }

  func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox {
    try store.value(of: key, version: version)
  }

  func commit(_ changes: [RecordChange], expecting serial: Int64, at now: Moment) throws(StoreError) -> Int64 {
    let serial = try store.commit(changes, expecting: serial, at: now)
    let last = try store.recorded().applied.last
    noted.withLock { $0.append(last) }
    return serial
  }

  func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens? { try store.tokens(of: account) }

  func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint { store.fingerprint(value, of: key) }

  func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
    store.fingerprint(token, of: account)
  }
}
