import KeyplanApply
import KeyplanCore
import KeyplanTesting
import Testing

/// What an apply finds out only then: sources that planning does not read in an untrusted checkout, and values that were revoked
/// after a plan was saved.
@Suite struct LaterReadTests {
  /// The plan of an untrusted checkout.
  private func plan(_ world: World) async throws -> Plan {
    let observation = await world.observer(trusting: false).observe(
      world.manifest, recorded: try world.store.recorded())
    return Plan.reconciling(world.manifest, with: observation, at: world.now).plan
  }

  private func isDeferred(_ plan: Plan) -> Bool {
    plan.steps.contains { step in
      if case .store(.key(_, let effect)) = step.effect { effect.write?.isDeferred == true } else { false }
    }
  }

  private func revoke(_ key: String, in world: World) async throws {
    let amended = Plan.amending(
      world.manifest, by: .revoke(named(key), reason: nil), with: try await world.observe(), at: world.now)
    #expect(try await world.apply(amended.plan).isComplete)
  }

  @Test("a revoked value that is read at apply only is not stored, and its key stays as it was") func revoked()
    async throws
  {
    var world = World()
    world.declare("a")
    world.say("leaked", at: "a")
    try await world.apply()
    try await revoke("a", in: world)
    world.say("second", at: "a")
    try await world.apply()
    // The manifest names another place, which has the revoked value.
    world.declare("a", [remote("elsewhere")])
    world.say("leaked", at: "elsewhere")
    let plan = try await plan(world)
    #expect(isDeferred(plan))
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(words) == ["replace key.a: failed"])
    guard case .failed(.revokedValue(let revocation, of: .key(let key)))? = outcome.reports.first?.result else {
      Issue.record("\(outcome.reports)")
      return
    }
    #expect(revocation.version == 1 && key == named("a"))
    #expect(try world.store.recorded().keys[named("a")]?.version.number == 2)
    // A forgotten record keeps its knowledge, too.
    let forgetting = Plan.amending(
      world.manifest, by: .forget(.key(named("a"))), with: try await world.observe(),
      allowing: Allowances(forget: true), at: world.now)
    try await world.apply(forgetting.plan)
    let again = try await world.apply(try await self.plan(world))
    #expect(again.reports.map(words) == ["store key.a: failed"])
    #expect(try world.store.recorded().keys.isEmpty)
    world.say("fresh", at: "elsewhere")
    #expect(try await world.apply(try await self.plan(world)).isComplete)
  }

  @Test("an unreachable source ends the search: only a definite missing moves on to the next one") func unreachable()
    async throws
  {
    var world = World()
    world.declare("a", [remote("first"), remote("second")])
    world.say("second's", at: "second")
    let plan = try await plan(world)
    #expect(isDeferred(plan))
    for fault in [MemorySource.Script.unreachable("It is off."), .unreadable("No.")] {
      world.source.say(fault, to: remote("first"))
      #expect(try await world.apply(plan).reports.map(words) == ["store key.a: failed"])
      #expect(try world.store.recorded().keys.isEmpty)
    }
    world.say(nil, at: "first")
    #expect(try await world.apply(plan).isComplete)
    #expect(try world.kept() == ["second's"])
    #expect(try world.store.recorded().keys[named("a")]?.version.origin == remote("second").description)
  }

  @Test("the first source that has a value is the one") func firstOne() async throws {
    var world = World()
    world.declare("a", [remote("first"), remote("second")])
    world.say("first's", at: "first")
    world.say("second's", at: "second")
    #expect(try await world.apply(try await plan(world)).isComplete)
    #expect(try world.kept() == ["first's"])
  }

  @Test("a saved plan does not write a value that was revoked since") func saved() async throws {
    var world = World()
    world.declare("a")
    world.say("leaked", at: "a")
    try await world.apply()
    world.send("app", ["K": "a"])
    let plan = try await world.plan()
    #expect(plan.steps.map(\.effect.action) == [.sync])
    try await revoke("a", in: world)
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(\.result) == [.stale(.keysRevoked([named("a")]))])
    #expect(world.held() == [:] && world.target.writes == 0)
  }

  @Test("a saved plan does not write parts that are of different keys since") func savedParts() async throws {
    var world = World()
    let issuer = MemoryIssuer(named("issuer"), parts: ["id", "secret"])
    world.issuer = issuer
    let minting = Minting(
      named("a"), [.init("id", named("a.id")), .init("secret", named("a.secret"))], at: issuer.place)
    for part in minting.parts {
      let facts = KeyFacts(provider: "generic", variable: "V", sources: [minting.description])
      world.keys[part.key] = Key(facts: facts, sources: [], minting: minting)
    }
    try await world.apply()
    world.send("app", ["ID": "a.id", "SECRET": "a.secret"])
    let plan = try await world.plan()
    var other = world
    other.given = [named("a.id"): secret("by hand")]
    try await other.apply(try await other.plan().limited { $0 == .key(named("a.id")) })
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(words) == ["sync target.app: stale"])
    #expect(world.held() == [:])
  }
}
