import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

/// Values that an apply generates: made once, recorded before they are written, and the same everywhere.
@Suite struct GeneratingTests {
  private static let rotation = Expiry(.after(.days(90)), warn: Interval(seconds: 0), then: .rotate)

  private func world(_ value: GeneratedValue? = GeneratedValue(.hex), expiry: Expiry? = rotation) throws -> World {
    var world = World()
    let value = try #require(value)
    let facts = KeyFacts(provider: "generic", variable: "A", expiry: expiry, sources: [value.description])
    world.keys[named("a")] = Key(facts: facts, sources: [], generated: value)
    world.send("app", ["A": "a"])
    world.send("web", ["A": "a"], to: place("web"))
    return world
  }

  private func stored(in world: World) throws -> String {
    try world.store.value(of: named("a"), version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("the apply makes it once: the same value in the store and at each target, and the next plan is empty")
  func once() async throws {
    let world = try world()
    #expect(try await world.apply().isComplete)
    let value = try stored(in: world)
    #expect(value.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    #expect(world.held() == ["A": value] && world.held(at: place("web")) == ["A": value])
    #expect(try world.store.recorded().keys[named("a")]?.version.origin == "generate: hex, 32 bytes")
    #expect(try await world.plan().isEmpty)
    #expect(try await world.apply().isComplete)
    #expect(try stored(in: world) == value)
  }

  @Test("one plan applied to two stores gives two values") func twoRuns() async throws {
    let (one, other) = (try world(), try world())
    try await one.apply()
    try await other.apply()
    #expect(try stored(in: one) != stored(in: other))
  }

  @Test("another form does not replace the value; the end of its policy does, with the new form, once")
  func rotated() async throws {
    var world = try world()
    try await world.apply()
    let first = try stored(in: world)
    let changed = try self.world(GeneratedValue(.uuid))
    world.keys = changed.keys
    try await world.apply()
    #expect(try stored(in: world) == first)
    world.now = start + .days(91)
    #expect(try await world.apply().isComplete)
    let second = try stored(in: world)
    #expect(second.wholeMatch(of: /[0-9a-f-]{36}/) != nil)
    #expect(world.held() == ["A": second] && world.held(at: place("web")) == ["A": second])
    let record = try #require(try world.store.recorded().keys[named("a")])
    #expect(record.version.number == 2 && record.history.map(\.number) == [1])
    #expect(try await world.plan().isEmpty)
  }

  @Test("a plan that was saved is stale once the value was rotated, and makes no third one") func stale() async throws {
    var world = try world()
    try await world.apply()
    world.now = start + .days(91)
    let plan = try await world.plan()
    #expect(try await world.apply(plan).isComplete)
    let value = try stored(in: world)
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.first.map(words) == "replace key.a: stale")
    #expect(try stored(in: world) == value)
  }

  @Test("a value that a source gave is kept when its key is to be generated; a person can have it replaced")
  func switched() async throws {
    var world = World()
    world.declare("a", provider: "generic")
    world.say("issued", at: "a")
    world.send("app", ["A": "a"])
    try await world.apply()
    world.keys = try self.world().keys
    world.now = start + .days(400)
    #expect(try await world.apply().isComplete)
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["A": "issued"])
    let value = try #require(GeneratedValue(.hex))
    let observed = await world.observer().observe(
      world.manifest, recorded: try world.store.recorded(), wanted: [named("a"): value])
    let plan = Plan.reconciling(world.manifest, with: observed, at: world.now).plan
    #expect(try await world.apply(plan).isComplete)
    #expect(world.held() == ["A": try stored(in: world)] && world.held() != ["A": "issued"])
  }

  @Test("whichever effect of a rotation fails, or after whichever the machine dies, the next apply completes it")
  func broken() async throws {
    for mode in Faults.Mode.allCases {
      let counting = Faults()
      try await due().apply(try await due().plan(), counting)
      #expect(counting.effects > 4)
      for number in 1...counting.effects {
        let world = try await due()
        let first = try stored(in: world)
        try await world.apply(try await world.plan(), Faults(mode, at: number))
        for held in [world.held(), world.held(at: place("web"))] {
          #expect(try held["A"].map(world.kept().contains) == true, "\(mode) at \(number): a value that nobody has")
        }
        #expect(try await world.apply().isComplete, "\(mode) at \(number)")
        let value = try stored(in: world)
        #expect(value != first && world.held() == ["A": value] && world.held(at: place("web")) == ["A": value])
        #expect(try await world.plan().isEmpty, "\(mode) at \(number)")
      }
    }
  }

  /// A world in which a rotation is due.
  private func due() async throws -> World {
    var world = try world()
    try await world.apply()
    world.now = start + .days(91)
    return world
  }

  @Test("a plan names the form and no fingerprint: its id is the same each time, and differs by the form")
  func identity() async throws {
    let world = try world()
    let store = try #require(try world.store.recorded().store)
    func id(_ world: World) async throws -> String {
      let plan = try await world.plan()
      return PlanId(of: plan, store: store, environment: nil, isTrusted: true, signing: world.store).description
    }
    #expect(try await id(world) == id(world))
    var other = world
    other.keys = try self.world(GeneratedValue(.hex, bytes: 33)).keys
    #expect(try await id(world) != id(other))
  }
}
