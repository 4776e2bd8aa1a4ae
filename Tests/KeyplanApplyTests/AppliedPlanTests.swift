import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanTesting
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

  private func apply(_ plan: Plan, in world: World) async throws -> Outcome {
    try await Applier(
      store: world.store, observer: world.observer(), hooks: world.hooks, manifest: world.manifest,
      allowances: world.allowances, planId: "kp1-test", clock: { [now = world.now] in now }
    ).apply(plan)
  }

  private func remembered(_ world: World) throws -> [String] { try world.store.recorded().applied.map(\.id) }

  @Test("a plan is remembered as applied once each step is done, and not where one failed, whichever it is")
  func remembered() async throws {
    let complete = world()
    #expect(try await apply(try await complete.plan(), in: complete).isComplete)
    #expect(try remembered(complete) == ["kp1-test"])
    // The step that fails is followed by one that is done.
    let world = world()
    let plan = try await world.plan()
    world.target.fail(AccessFailure(.unreachable, "It is off."), at: place("app"))
    let outcome = try await apply(plan, in: world)
    #expect(outcome.reports.map(words).contains("sync target.app: failed"))
    #expect(outcome.reports.last.map(words) == "run target.web: done")
    #expect(try remembered(world) == [])
    // Nor where the failing one is on the store.
    var stale = self.world()
    stale.declare("b")
    stale.say("two", at: "b")
    let other = try await stale.plan()
    stale.say("three", at: "b")
    #expect(try await apply(other, in: stale).reports.map(words).contains("store key.b: stale"))
    #expect(try remembered(stale) == [])
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
