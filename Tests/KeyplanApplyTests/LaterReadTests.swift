import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import TestTools
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
      if case .store(.key(_, let effect)) = step.effect, case .firstSource = effect.write?.value { true } else { false }
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

  /// A checkout in which git tracks the files of all targets, so that planning compares none of them.
  private struct Tracking: CheckoutInspecting {
    func terms(of references: [Reference]) -> [Reference: Set<String>] { [:] }
    func terms(ofFiles files: [Reference]) -> [Reference: String] { [:] }
    func runsCheckout(_ reference: Reference) -> Bool { false }
    func trackedContent(of references: [Reference]) -> [Reference: String] { [:] }
    func tracked(_ destinations: [Destination]) -> Set<Destination> { Set(destinations) }
    func pipelineFiles(among destinations: [Destination]) -> Set<Destination> { [] }
  }

  @Test(
    "a value that planning did not compare and somebody changed is not withdrawn: the step says so, and stays to be done",
    arguments: [place("app"), Destination(type: "marked", location: "app")])
  func changedUnseen(destination: Destination) async throws {
    var world = World()
    for name in ["a", "b"] {
      world.declare(name)
      world.say("\(name)'s", at: name)
    }
    world.send("app", ["A": "a", "B": "b"], to: destination)
    try await world.apply()
    let target = destination.type == "marked" ? world.marked : world.target
    func held() -> [String: String] {
      target.contents(at: destination).mapValues { String(decoding: $0, as: UTF8.self) }
    }
    func withdrawing() async throws -> Outcome {
      let observation = await Observer(
        fingerprints: world.store.copy(), sources: [world.source], targets: [world.target, world.marked],
        service: world.service, tokens: world.store,
        checkout: CheckoutRules(isTrusted: false, inspector: Tracking()), clock: { start }
      ).observe(world.manifest, recorded: try world.store.recorded())
      let plan = Plan.reconciling(world.manifest, with: observation, at: world.now).plan
      #expect(plan.steps.allSatisfy { $0.ground.target == nil && $0.ground.marks == nil })
      return try await world.apply(plan)
    }
    target.put(Array("theirs".utf8), under: "A", at: destination)
    world.targets = [:]
    let left = StepResult.failed(.leftInPlace(["A"], at: destination, of: named("app")))
    for _ in 0..<2 {
      #expect(try await withdrawing().reports.map(\.result) == [left])
      #expect(held() == ["A": "theirs"])
      #expect(try world.store.recorded().targets[named("app")]?.entries.keys.sorted() == ["A"])
      #expect(try world.store.recorded().attempts.isEmpty && world.store.recorded().interrupted.isEmpty)
    }
    // Somebody removes it there, or has the record forget it.
    target.put(nil, under: "A", at: destination)
    #expect(try await withdrawing().isComplete)
    #expect(try world.store.recorded().targets.isEmpty)
  }

  /// What `plan` and `drift` say about the stored values of a trusted checkout.
  private func reported(_ world: World) async throws -> [String] {
    let observed = try await world.observe()
    let diagnostics = Plan.reconciling(world.manifest, with: observed, at: world.now).diagnostics
    let findings = Finding.drift(of: world.manifest, in: observed, at: world.now).findings
    return diagnostics.map { "\($0.code)" } + findings.map { "\($0.kind) \($0.address) \($0.level)" }
  }

  @Test("a value that is read at apply only is held against its format there, and plan and drift go on saying so")
  func unexpectedFormat() async throws {
    var world = World()
    let format = try FormatPattern("acme_[a-z]{4}")
    world.providers = ["acme": Provider(format: format)]
    world.declare("a", provider: "acme")
    world.say("nonsense", at: "a")
    let outcome = try await world.apply(try await plan(world))
    #expect(outcome.reports.map(words) == ["store key.a: done"])
    #expect(outcome.reports.map(\.note) == [.unexpectedFormat(provider: "acme")])
    #expect(try await reported(world) == ["unexpectedFormat", "unexpectedFormat key.a soon"])
    // A source that moved has the same value: it is no better for that.
    world.declare("a", [remote("b")], provider: "acme")
    world.say("nonsense", at: "b")
    #expect(try await world.apply().isComplete)
    #expect(try await reported(world) == ["unexpectedFormat", "unexpectedFormat key.a soon"])
    let bad = world
    // Another format, or another provider, is another question.
    world.providers = ["acme": Provider(format: try FormatPattern("non[a-z]{5}"))]
    #expect(try await reported(world) == [])
    // A right value ends it.
    world = bad
    world.say("acme_abcd", at: "b")
    #expect(try await world.apply().isComplete)
    #expect(try await reported(world) == [])
  }

  @Test("a value that a plan saw is reported by that plan, and not again") func seenFormat() async throws {
    var world = World()
    world.providers = ["acme": Provider(format: try FormatPattern("acme_[a-z]{4}"))]
    world.declare("a", provider: "acme")
    world.say("nonsense", at: "a")
    #expect(try await world.planned().diagnostics.map(\.code) == [.unexpectedFormat])
    #expect(try await world.apply().reports.map(\.note) == [nil])
    #expect(try await reported(world) == [])
  }

  @Test("a command that the same apply allows is held against the format, too") func allowedFormat() async throws {
    var world = World()
    world.providers = ["acme": Provider(format: try FormatPattern("acme_[a-z]{4}"))]
    world.declare("a", [command("op")], provider: "acme")
    world.commands.say(.value(Array("nonsense".utf8)), to: command("op"))
    let outcome = try await world.apply()
    #expect(outcome.reports.last?.note == .unexpectedFormat(provider: "acme"))
    #expect(try await reported(world) == ["unexpectedFormat", "unexpectedFormat key.a soon"])
  }

  @Test("a format that an untrusted manifest declares judges no value at apply, either") func declaredFormat()
    async throws
  {
    var world = World()
    world.providers = ["acme": Provider(format: try FormatPattern("a[a-z]{3}"), isDeclared: true)]
    world.declare("a", provider: "acme")
    world.say("nonsense", at: "a")
    let outcome = try await world.apply(try await plan(world), trusting: false)
    #expect(outcome.reports.map(words) == ["store key.a: done"])
    #expect(outcome.reports.map(\.note) == [nil])
    #expect(try world.store.recorded().keys[named("a")]?.version.missedFormat == nil)
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
