import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

/// A key under another name, from plan to store.
@Suite struct MovingTests {
  /// "a" with two versions, active and at a target; then it is called "b".
  private func renamed() async throws -> World {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.choose("s", ["a"])
    world.send("app", ["K": "a"])
    try await world.apply()
    world.say("two", at: "a")
    try await world.apply()
    world.keys[named("b")] = world.keys.removeValue(forKey: named("a"))
    world.choose("s", ["b"])
    world.send("app", ["K": "b"])
    world.move("a", to: "b")
    return world
  }

  @Test("the record moves with its history, and what names it follows; then there is nothing to do")
  func moves() async throws {
    let world = try await renamed()
    let writes = world.target.writes
    let (plan, diagnostics) = try await world.planned()
    #expect(diagnostics == [])
    #expect(try await world.apply(plan).reports.map(words) == ["move key.b: done"])
    let recorded = try world.store.recorded()
    #expect(recorded.keys.keys.map(\.name) == ["b"])
    #expect(recorded.slots[named("s")]?.key == named("b"))
    #expect(recorded.targets[named("app")]?.entries["K"]?.key == named("b"))
    for (version, text) in [(1, "one"), (2, "two")] as [(Int64, String)] {
      let value = try world.store.value(of: named("b"), version: version)
      #expect(value.withBytes { String(decoding: $0, as: UTF8.self) } == text)
    }
    #expect(try await world.plan().steps == [])
    #expect(world.target.writes == writes)
  }

  @Test("moved and changed at once: renamed first, then the new value, in every place")
  func besides() async throws {
    let world = try await renamed()
    world.say("three", at: "a")
    let outcome = try await world.apply()
    #expect(outcome.reports.map(words) == ["move key.b: done", "replace key.b: done", "sync target.app: done"])
    #expect(try world.store.recorded().keys[named("b")]?.version.number == 3)
    #expect(world.held() == ["K": "three"])
    #expect(try await world.plan().steps == [])
  }

  @Test("in the same run as a fresh root key")
  func freshRoot() async throws {
    var world = try await renamed()
    world.recipients = [named("ada"): World.ada, named("bob"): Recipient(publicKey: "age1bob")]
    try await world.apply(Plan(steps: try await world.plan().steps.filter { $0.address == .recipients }))
    world.recipients = [named("ada"): World.ada]
    world.say("three", at: "a")
    #expect(
      try await world.apply().reports.map(words) == [
        "rewrap recipients: done", "move key.b: done", "replace key.b: done", "sync target.app: done",
      ])
    #expect(try await world.plan().steps == [])
  }

  @Test("a record that another apply changed is not moved, and what waits for it is not tried")
  func stale() async throws {
    let world = try await renamed()
    world.say("three", at: "a")
    let plan = try await world.plan()
    var other = world
    other.migrations = []
    other.keys[named("a")] = other.keys.removeValue(forKey: named("b"))
    other.choose("s", ["a"])
    other.send("app", ["K": "a"])
    #expect(try await other.apply().isComplete)
    #expect(
      try await world.apply(plan).reports.map(words) == [
        "move key.b: stale", "replace key.b: not tried", "sync target.app: not tried",
      ])
    #expect(try await world.apply().isComplete)
    #expect(try await world.plan().steps == [])
  }

  @Test("without the move's own step nothing is renamed on the way")
  func selected() async throws {
    var world = try await renamed()
    world.targets = [:]
    let plan = try await world.plan()
    let outcome = try await world.apply(Plan(steps: plan.steps.filter { $0.address == .target(named("app")) }))
    #expect(outcome.reports.map(words) == ["withdraw target.app: done"])
    #expect(try world.store.recorded().keys.keys.map(\.name) == ["a"])
    #expect(try await world.apply().isComplete)
    #expect(try await world.plan().steps == [])
  }
}
