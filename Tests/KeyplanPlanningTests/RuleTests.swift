import KeyplanModel
import KeyplanPlanning
import Testing

@Suite struct RuleTests {
  private static func plan(_ scene: Scene, _ demand: Rule.Demand, keys: [String]? = nil) -> [Diagnostic] {
    let rule = Rule(
      named("strict"), demand, keys: keys.map { Set($0.map { named($0) }) },
      place: FileLocation(file: "keyplan.yaml", line: 9, column: 3))
    let manifest = Manifest(keys: scene.keys, slots: scene.slots, rules: [rule], unsupported: scene.unsupported)
    return Plan.reconciling(manifest, with: scene.observed, at: now).diagnostics.filter { $0.code == .ruleBroken }
  }

  @Test(
    "sources and providers are held to what a rule allows",
    arguments: [
      (demand: Rule.Demand.noSources(of: ["env"]), broken: ["key.here"]),
      (.noSources(of: ["vault", "env"]), ["key.both", "key.far", "key.here"]),
      (.noSources(of: ["store"]), ["key.none"]),
      (.sources(of: ["vault"]), ["key.both", "key.here", "key.none"]),
      (.sources(of: ["vault", "command", "store"]), ["key.here"]),
      (.provider(among: ["anthropic"]), ["key.both", "key.here", "key.none"]),
      (.provider(among: ["openai", "anthropic"]), []),
    ])
  func demands(demand: Rule.Demand, broken: [String]) {
    var scene = Scene()
    scene.declare("here", [local("HERE")])
    scene.declare("far", [remote("far")], provider: "anthropic")
    scene.declare("both", [remote("both"), command("both")])
    scene.declare("none", [])
    #expect(Self.plan(scene, demand).compactMap { $0.address?.description } == broken)
    let rule = Rule(named("strict"), demand)
    #expect(Manifest(keys: scene.keys, rules: [rule]).brokenRules.compactMap { $0.address?.description } == broken)
  }

  @Test(
    "a key is younger than a rule's age, or its own policy ends it no later",
    arguments: [
      (stored: now - .days(89), expiry: Expiry?.none, isBroken: false), (now - .days(90), nil, true),
      (now - .days(200), Expiry(.after(.days(90)), warn: .days(9), then: .warn), false),
      (now - .days(200), Expiry(.after(.days(91)), warn: .days(9), then: .warn), true),
      (now - .days(200), Expiry(.on(now), warn: .days(9), then: .warn), true),
      (now - .days(200), Expiry(.on(now - .days(110)), warn: .days(9), then: .warn), false),
    ])
  func age(stored: Moment, expiry: Expiry?, isBroken: Bool) {
    var scene = Scene()
    scene.settled("a", expiry: expiry, stored: stored)
    #expect(Self.plan(scene, .age(below: .days(90))).isEmpty != isBroken)
  }

  @Test("a new value is young, unless it is said when it was issued; a retired key has no age")
  func renewed() {
    var scene = Scene()
    scene.settled("a", stored: now - .days(100))
    scene.find("a", "two")
    #expect(Self.plan(scene, .age(below: .days(90))).isEmpty)
    scene.declare("a", issued: now - .days(91))
    #expect(Self.plan(scene, .age(below: .days(90))).count == 1)
    scene.record("a", "two", retired: true)
    #expect(Self.plan(scene, .age(below: .days(90))).isEmpty)
  }

  @Test("it names the key, the rule and the rule's place, stops everything, and is a guard")
  func words() throws {
    var scene = Scene()
    scene.declare("a", [local("A")])
    scene.declare("b", [local("B")])
    let told = Self.plan(scene, .noSources(of: ["env"]), keys: ["b"])
    let breach = KeyIssue.Breach.forbiddenKind("env", forbidden: ["env"])
    let place = FileLocation(file: "keyplan.yaml", line: 9, column: 3)
    #expect(told.map(\.issue) == [.key(named("b"), .breaksRule(named("strict"), at: place, breach))])
    #expect(told.allSatisfy { $0.code.isGuard && $0.code.reach == .everything })
  }

  @Test("a key that is held back as a whole breaks no rule")
  func unsupported() {
    var scene = Scene()
    scene.declare("a", [])
    scene.unsupported = [Manifest.Unsupported(.key(named("a")), "vault sources", place: nil)]
    #expect(Self.plan(scene, .sources(of: ["vault"])).isEmpty)
  }
}

@Suite struct RenameTests {
  @Test("a key that comes with the value of one that leaves is asked about")
  func hint() throws {
    var scene = Scene()
    scene.settled("keeper")
    scene.record("old")
    scene.declare("new")
    scene.find("new", "one")
    scene.observed.resembling = [named("new"): named("old")]
    #expect(scene.faults() == ["probablyMoved key.new"])
    #expect(scene.plan().diagnostics.first?.issue == .key(named("new"), .resembles(named("old"))))
    #expect(scene.steps() == ["store key.new (manifest)", "forget key.old (manifest)"])
    // One value for several new keys is no rename.
    scene.declare("twin")
    scene.find("twin", "one")
    scene.observed.resembling[named("twin")] = named("old")
    #expect(scene.faults() == [])
  }

  @Test("a key that stays, or one that is recorded already, is no rename")
  func none() {
    var scene = Scene()
    scene.settled("old")
    scene.settled("new")
    scene.observed.resembling = [named("new"): named("old")]
    #expect(scene.faults() == [])
  }
}
