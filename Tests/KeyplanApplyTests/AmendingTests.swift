import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

/// Changes of the records by hand, from plan to store.
@Suite struct AmendingTests {
  /// "a" had "one" and has "two", and is at two names of a target; "b" is given by hand.
  private func settled() async throws -> World {
    var world = World()
    world.declare("a")
    world.declare("b", [])
    world.given = [named("b"): secret("by hand")]
    world.send("app", ["K": "a", "L": "a", "M": "b"])
    world.choose("s", ["a"])
    for text in ["one", "two"] {
      world.say(text, at: "a")
      try await world.apply()
    }
    world.given = [:]
    return world
  }

  private func plan(_ amendment: Amendment, in world: World) async throws -> Plan {
    Plan.amending(
      world.manifest, by: amendment, with: try await world.observe(), allowing: world.allowances, at: world.now
    ).plan
  }

  @discardableResult
  private func amend(_ amendment: Amendment, in world: World) async throws -> [String] {
    try await world.apply(try await plan(amendment, in: world)).reports.map(words)
  }

  private func text(_ key: String, in world: World, version: Int64? = nil) throws -> String {
    try world.store.value(of: named(key), version: version).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a rollback stands: the next apply brings it to the targets, and nothing takes it back")
  func rollback() async throws {
    let world = try await settled()
    #expect(try await amend(.rollback(named("a"), to: 1), in: world) == ["rollback key.a: done"])
    #expect(try text("a", in: world) == "one")
    let (plan, diagnostics) = try await world.planned()
    #expect(diagnostics.map(\.code) == [.valueRejected])
    #expect(try await world.apply(plan).reports.map(words) == ["sync target.app: done"])
    #expect(world.held() == ["K": "one", "L": "one", "M": "by hand"])
    #expect(try await world.plan().isEmpty)
    world.say("three", at: "a")
    #expect(try await world.apply().isComplete)
    #expect(try text("a", in: world) == "three")
    #expect(try world.store.recorded().keys[named("a")]?.version.number == 3)
  }

  @Test(
    "an accepted value stands: no drift at its name, other names are behind until they get it, and the source does not take it back"
  )
  func accept() async throws {
    let world = try await settled()
    world.put("mended", "K")
    #expect(try await amend(.acceptTarget(named("app"), name: "K"), in: world) == ["accept key.a: done"])
    #expect(try text("a", in: world) == "mended")
    #expect(try text("a", in: world, version: 2) == "two")
    let findings = Finding.drift(of: world.manifest, in: try await world.observe(), at: start).findings
    #expect(findings.map { "\($0.kind) \($0.address)" } == ["valueRejected key.a", "targetBehind target.app.L"])
    #expect(try await world.apply().reports.map(words) == ["sync target.app: done"])
    #expect(world.held() == ["K": "mended", "L": "mended", "M": "by hand"])
    #expect(try await world.plan().isEmpty)
    #expect(try await amend(.acceptSource(named("a")), in: world) == ["replace key.a: done"])
    #expect(try text("a", in: world) == "two")
  }

  @Test("an accepted value that was changed again since the plan is stale, and so is one whose name is gone")
  func moved() async throws {
    let world = try await settled()
    world.put("mended", "K")
    let plan = try await plan(.acceptTarget(named("app"), name: "K"), in: world)
    let serial = try world.serial
    world.put("again", "K")
    #expect(try await world.apply(plan).reports.map(words) == ["accept key.a: stale"])
    world.put(nil, "K")
    #expect(try await world.apply(plan).reports.map(words) == ["accept key.a: stale"])
    #expect(try world.serial == serial)
    world.put("mended", "K")
    try await amend(.forget(.entry(named("app"), name: "K")), in: world)
    #expect(try await world.apply(plan).reports.map(words) == ["accept key.a: stale"])
    #expect(try text("a", in: world) == "two")
  }

  @Test("a key that was forgotten by hand comes back with its history, to any version")
  func restored() async throws {
    var world = try await settled()
    world.allowances.forget = true
    #expect(
      try await amend(.forget(.key(named("a"))), in: world) == ["deactivate active.s: done", "forget key.a: done"])
    #expect(world.held() == ["K": "two", "L": "two", "M": "by hand"])
    let forgotten = try #require(try world.store.recorded().forgotten.first)
    #expect(
      try await amend(.restore(forgotten, to: 1), in: world) == ["restore key.a: done", "rollback key.a: done"])
    #expect(try text("a", in: world) == "one")
    #expect(try text("a", in: world, version: 2) == "two")
    #expect(try world.store.recorded().forgotten == [])
    #expect(
      try await world.apply().reports.map(words) == ["activate active.s: done", "sync target.app: done"])
    #expect(world.held() == ["K": "one", "L": "one", "M": "by hand"])
    #expect(try await world.plan().isEmpty)
  }

  @Test("restored as it was, with nothing else to do")
  func asItWas() async throws {
    let world = try await settled()
    try await amend(.forget(.key(named("b"))), in: world)
    let forgotten = try #require(try world.store.recorded().forgotten.first)
    let plan = try await plan(.restore(forgotten, to: nil), in: world)
    #expect(try await world.apply(plan).reports.map(words) == ["restore key.b: done"])
    #expect(try await world.plan().isEmpty)
    #expect(try await world.apply(plan).reports.map(words) == ["restore key.b: stale"])
  }

  @Test("a move by hand is not remembered: the way back is free")
  func moves() async throws {
    let world = try await settled()
    #expect(try await amend(.move(named("a"), to: named("c")), in: world) == ["move key.c: done"])
    #expect(try world.store.recorded().migrated == [])
    #expect(try await amend(.move(named("c"), to: named("a")), in: world) == ["move key.a: done"])
    #expect(try text("a", in: world, version: 1) == "one")
    #expect(try await world.plan().isEmpty)
  }

  @Test("records of slots and targets end without anything being touched, and stale where they were changed")
  func forgotten() async throws {
    let world = try await settled()
    let writes = world.target.writes
    let late = try await plan(.forget(.target(named("app"))), in: world)
    let lateName = try await plan(.forget(.entry(named("app"), name: "K")), in: world)
    #expect(try await amend(.forget(.entry(named("app"), name: "L")), in: world) == ["forget target.app.L: done"])
    #expect(try world.store.recorded().targets[named("app")]?.entries.keys.sorted() == ["K", "M"])
    #expect(try await world.apply(late).reports.map(words) == ["forget target.app: stale"])
    #expect(try await world.apply(lateName).reports.map(words) == ["forget target.app.K: stale"])
    #expect(try await amend(.forget(.target(named("app"))), in: world) == ["forget target.app: done"])
    #expect(try await amend(.forget(.slot(named("s"))), in: world) == ["forget active.s: done"])
    #expect(try world.store.recorded().targets.isEmpty)
    #expect(try world.store.recorded().slots.isEmpty)
    #expect(try await world.apply().isComplete)
    #expect(world.target.writes == writes)
    #expect(try await world.plan().isEmpty)
  }

  static let kinds = ["rollback", "accept", "restore"]

  @Test("whichever effect fails, nothing is half done and the same again completes it", arguments: kinds)
  func faults(kind: String) async throws {
    func prepared() async throws -> (World, Amendment) {
      var world = try await settled()
      switch kind {
      case "rollback": return (world, .rollback(named("a"), to: 1))
      case "accept":
        world.put("mended", "K")
        return (world, .acceptTarget(named("app"), name: "K"))
      default:
        world.allowances.forget = true
        try await amend(.forget(.key(named("a"))), in: world)
        return (world, .restore(try #require(try world.store.recorded().forgotten.first), to: 1))
      }
    }
    let (unbroken, amendment) = try await prepared()
    let before = try await unbroken.remains()
    let counting = Faults()
    try await unbroken.apply(try await plan(amendment, in: unbroken), counting)
    let after = try await unbroken.remains()
    #expect(counting.effects > 0 && before != after)
    for mode in Faults.Mode.allCases {
      for number in 1...counting.effects {
        let (broken, amendment) = try await prepared()
        let plan = try await plan(amendment, in: broken)
        try await broken.apply(plan, Faults(mode, at: number))
        let left = try await broken.remains()
        #expect(left == before || left == after, "\(mode) at \(number)")
        if left == before { #expect(try await broken.apply(plan).isComplete, "\(mode) at \(number)") }
        #expect(try await broken.remains() == after, "\(mode) at \(number)")
        #expect(try await broken.apply().isComplete)
        #expect(try await broken.plan().isEmpty)
      }
    }
  }
}
