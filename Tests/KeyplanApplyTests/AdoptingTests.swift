import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

/// A value that moves into the store from wherever it was.
@Suite struct AdoptingTests {
  private func world(isRemoved: Bool) -> World {
    var world = World()
    world.adopt("a", from: "old", isRemoved: isRemoved)
    world.say("one", at: "old")
    return world
  }

  private func text(_ world: World, _ key: String = "a") throws -> String {
    try world.store.value(of: named(key), version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("kept: the value is in the store and where it was; once, whatever happens there later")
  func keeps() async throws {
    var world = world(isRemoved: false)
    world.send("app", ["K": "a"])
    #expect(try await world.apply().reports.map(words) == ["adopt key.a: done", "sync target.app: done"])
    #expect(try text(world) == "one")
    #expect(try world.store.recorded().keys[named("a")]?.version.origin == "mem://old")
    #expect(await world.original("old") == "one")
    world.say("two", at: "old")
    #expect(try await world.plan().steps == [])
    let key = world.keys.removeValue(forKey: named("a"))
    world.targets = [:]
    world.allowances.forget = true
    #expect(try await world.apply().isComplete)
    world.keys[named("a")] = key
    #expect(try await world.planned().diagnostics.map(\.code) == [.noValueYet])
  }

  @Test("removed: in the store first, then gone from where it was; then there is nothing to do")
  func removes() async throws {
    let world = world(isRemoved: true)
    #expect(try await world.apply().reports.map(words) == ["adopt key.a: done", "remove migration.1: done"])
    #expect(try text(world) == "one")
    #expect(await world.original("old") == nil)
    #expect(try await world.plan().steps == [])
    world.say("one", at: "old")
    #expect(try await world.plan().steps == [])
  }

  @Test("an original that changed after the plan is stale, and stays")
  func stale() async throws {
    let world = world(isRemoved: true)
    var plan = try await world.plan()
    world.say("two", at: "old")
    #expect(try await world.apply(plan).reports.map(words) == ["adopt key.a: stale", "remove migration.1: not tried"])
    plan = try await world.plan()
    try await world.apply(Plan(steps: [plan.steps[0]]))
    plan = try await world.plan()
    #expect(plan.steps.map(\.effect.action) == [.remove])
    world.say("three", at: "old")
    #expect(try await world.apply(plan).reports.map(words) == ["remove migration.1: stale"])
    #expect(await world.original("old") == "three")
    let (next, diagnostics) = try await world.planned()
    #expect(next.steps == [])
    #expect(diagnostics.map(\.code) == [.changedByOthers])
  }

  @Test("what the store does not give back is not removed")
  func readBack() async throws {
    let world = world(isRemoved: true)
    let plan = try await world.plan()
    #expect(try await world.findings() == [], "what was never adopted is a pending change")
    try await world.apply(Plan(steps: [plan.steps[0]]))
    #expect(try await world.findings().map(\.kind) == [.originalLeft])
    let other = World()
    let lone = Plan(steps: [plan.steps[1]])
    let applier = Applier(
      store: other.store, observer: world.observer(), manifest: world.manifest, clock: { start })
    #expect(try await applier.apply(lone).reports.map(words) == ["remove migration.1: stale"])
    #expect(await world.original("old") == "one")
  }

  @Test("an original that another key reads, or a target writes, is not removed")
  func needed() async throws {
    var world = world(isRemoved: true)
    world.declare("b", [remote("old")])
    var (plan, diagnostics) = try await world.planned()
    #expect(diagnostics.map(\.code) == [.removalRefused])
    #expect(!plan.steps.contains { $0.effect.action == .remove })
    world.keys[named("b")] = nil
    world.send("app", ["K": "a"], to: place("old"))
    (plan, diagnostics) = try await world.planned()
    #expect(diagnostics.map(\.code) == [.removalRefused])
    world.targets = [:]
    #expect(try await world.planned().diagnostics == [])
  }

  @Test("nothing to adopt, or a place that cannot be asked, is said")
  func faults() async throws {
    let world = world(isRemoved: true)
    for (script, code) in [
      (.missing, .secretNotFound), (.unreachable("Down."), .sourceUnreachable), (.unreadable("No."), .sourceUnreadable),
    ] as [(MemorySource.Script, Diagnostic.Code)] {
      world.source.say(script, to: remote("old"))
      let (plan, diagnostics) = try await world.planned()
      #expect(plan.steps == [])
      #expect(diagnostics.map(\.code) == [code])
    }
  }

  @Test("a value given by hand comes before the one to adopt")
  func given() async throws {
    var world = world(isRemoved: false)
    world.given = [named("a"): secret("mine")]
    #expect(try await world.apply().reports.map(words) == ["store key.a: done"])
    world.given = [:]
    #expect(try await world.plan().steps == [])
  }

  @Test("what was removed and never recorded as such is recorded by the next run, and by no other")
  func unheard() async throws {
    let world = world(isRemoved: true)
    let plan = try await world.plan()
    try await world.apply(Plan(steps: [plan.steps[0]]))
    // Reading the original, and its removal; then the result cannot be written down.
    let outcome = try await world.apply(try await world.plan(), Faults(.deathAfter, at: 3))
    #expect(outcome.reports.map(words) == ["remove migration.1: failed"])
    #expect(await world.original("old") == nil)
    #expect(try world.store.recorded().migrated.isEmpty)
    let (next, diagnostics) = try await world.planned()
    #expect(diagnostics == [])
    #expect(next.steps.map(\.cause) == [.interrupted])
    #expect(try await world.apply(next).reports.map(words) == ["remove migration.1: done"])
    #expect(try await world.apply(next).reports.map(words) == ["remove migration.1: stale"])
    #expect(try world.store.recorded().migrated.count == 1)
    #expect(try await world.plan().steps == [])
  }

  @Test("an original that is gone by itself is no step: it may stand on another machine")
  func elsewhere() async throws {
    let world = world(isRemoved: true)
    let plan = try await world.plan()
    try await world.apply(Plan(steps: [plan.steps[0]]))
    world.say(nil, at: "old")
    #expect(try await world.planned().plan.steps == [])
    #expect(try await world.planned().diagnostics == [])
    world.say("one", at: "old")
    #expect(try await world.plan().steps.map(\.effect.action) == [.remove])
  }

  @Test("an original that went away since the plan is not reported as removed")
  func goneSince() async throws {
    let world = world(isRemoved: true)
    let plan = try await world.plan()
    try await world.apply(Plan(steps: [plan.steps[0]]))
    let removal = try await world.plan()
    #expect(removal.steps.map(\.effect.action) == [.remove])
    world.say(nil, at: "old")
    #expect(try await world.apply(removal).reports.map(words) == ["remove migration.1: stale"])
    #expect(try world.store.recorded().migrated.isEmpty)
  }

  @Test("two keys that adopt one value both have it before it is removed")
  func shared() async throws {
    var world = world(isRemoved: true)
    world.adopt("b", from: "old", isRemoved: false)
    let plan = try await world.plan()
    #expect(plan.steps.map(\.effect.action) == [.adopt, .adopt, .remove])
    let alone = Plan(steps: plan.steps.filter { $0.address != .key(named("b")) })
    #expect(try await world.apply(alone).isComplete, "steps that were left out are not waited for")
    #expect(await world.original("old") == nil)

    var other = self.world(isRemoved: true)
    other.adopt("b", from: "old", isRemoved: false)
    // The transaction in which both are adopted fails.
    let outcome = try await other.apply(try await other.plan(), Faults(.once, at: 2))
    #expect(outcome.reports.map(words).suffix(1) == ["remove migration.1: not tried"])
    #expect(await other.original("old") == "one")
    #expect(try await other.apply().isComplete)
    #expect(try [text(other, "a"), text(other, "b")] == ["one", "one"])
    #expect(await other.original("old") == nil)
  }

  @Test("an original is not removed while another key that adopts it has no value")
  func waiting() async throws {
    var world = world(isRemoved: true)
    world.adopt("b", from: "old", isRemoved: false)
    let selection = Selection([.migration(1)], in: world.manifest, recorded: try world.store.recorded())
    let observed = await world.observer().observe(
      world.manifest, recorded: try world.store.recorded(), only: selection)
    let (plan, diagnostics) = Plan.reconciling(world.manifest, with: observed, at: start)
    #expect(plan.limited(to: selection).steps.map(\.effect.action) == [.adopt])
    #expect(
      diagnostics.filter { $0.code.isGuard }.map(\.issue) == [
        .migration(1, .stillNeeded(remote("old"), by: .key(named("b"))))
      ])
  }

  @Test("a migration alone brings its key along")
  func selected() async throws {
    var world = world(isRemoved: true)
    world.declare("z")
    world.say("z", at: "z")
    let recorded = try world.store.recorded()
    for (address, actions) in [(.migration(1), ["adopt", "remove"]), (.key(named("a")), ["adopt"])]
      as [(Address, [String])]
    {
      let selection = Selection([address], in: world.manifest, recorded: recorded)
      #expect(try await world.plan().limited(to: selection).steps.map(\.effect.action.rawValue) == actions)
    }
    #expect(Selection.unknown([.migration(2)], in: world.manifest, recorded: recorded) == [.migration(2)])
  }

  @Test("a plan whose migration was changed meanwhile is stale")
  func changedMeanwhile() async throws {
    var world = world(isRemoved: true)
    let plan = try await world.plan()
    world.migrations = []
    world.adopt("a", from: "elsewhere", isRemoved: true)
    world.say("one", at: "elsewhere")
    #expect(try await world.apply(plan).reports.map(words) == ["adopt key.a: stale", "remove migration.1: not tried"])
    #expect(await world.original("old") == "one")
    #expect(await world.original("elsewhere") == "one")
  }

  @Test("removed after a fresh root key, and after the key's other name, of the same run")
  func besides() async throws {
    var world = world(isRemoved: true)
    world.recipients = [named("ada"): World.ada, named("bob"): Recipient(publicKey: "age1bob")]
    let plan = try await world.plan()
    try await world.apply(Plan(steps: plan.steps.filter { $0.effect.action != .remove }))
    world.recipients = [named("ada"): World.ada]
    world.keys[named("b")] = world.keys.removeValue(forKey: named("a"))
    world.migrations = [
      Migration(1, .key(named("a")), to: named("b")),
      Migration(2, .place(remote("old"), isRemoved: true), to: named("b")),
    ]
    #expect(
      try await world.apply().reports.map(words) == [
        "rewrap recipients: done", "move key.b: done", "remove migration.2: done",
      ])
    #expect(try text(world, "b") == "one")
    #expect(await world.original("old") == nil)
    #expect(try await world.plan().steps == [])
  }

  @Test("a command outside is allowed first, and its value is known at apply")
  func command() async throws {
    var world = World()
    world.declare("a", [])
    world.migrations = [Migration(1, .place(KeyplanApplyTests.command("op"), isRemoved: false), to: named("a"))]
    world.commands.say(.value(Array("one".utf8)), to: KeyplanApplyTests.command("op"))
    let plan = try await world.plan()
    #expect(plan.steps.map(\.effect.action) == [.allow, .adopt])
    #expect(plan.steps.last?.ground.source == nil)
    #expect(try await world.apply(plan).isComplete)
    #expect(try text(world) == "one")
    #expect(try await world.plan().steps == [])
  }

  @Test("what the store gives back is compared byte by byte, whatever its fingerprint says")
  func compared() async throws {
    let world = world(isRemoved: true)
    let plan = try await world.plan()
    let applier = Applier(
      store: ForgetfulStore(store: world.store), observer: world.observer(), manifest: world.manifest, clock: { start })
    let outcome = try await applier.apply(plan)
    #expect(outcome.reports.map(words) == ["adopt key.a: done", "remove migration.1: failed"])
    #expect(await world.original("old") == "one")
  }

  /// A store that gives another value than the one it took.
  private struct ForgetfulStore: RecordStore, TokenStore, Fingerprinting {
    let store: MemoryStore

    func recorded() throws(StoreError) -> Recorded { try store.recorded() }

    func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox { secret("on") }

    func commit(_ changes: [RecordChange], expecting serial: Int64, at now: Moment) throws(StoreError) -> Int64 {
      try store.commit(changes, expecting: serial, at: now)
    }

    func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
      store.fingerprint(value, of: key)
    }

    func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
      store.fingerprint(token, of: account)
    }

    func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens? { try store.tokens(of: account) }
  }
}
