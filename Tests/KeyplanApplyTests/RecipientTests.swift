import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import Testing

/// A fresh root key in the middle of a run: grounds stand in the old fingerprints, records in the new ones.
@Suite struct RecipientTests {
  private let ci = Recipient(publicKey: "age1ci")

  private func prepared() async throws -> World {
    var world = World()
    world.recipients = [named("ada"): World.ada, named("ci"): ci]
    for name in ["a", "b"] {
      world.declare(name)
      world.say("\(name) one", at: name)
    }
    world.choose("s", ["a"])
    world.send("app", ["A": "a", "B": "b"])
    world.send("old", ["A": "a"], to: place("web"))
    #expect(try await world.apply().isComplete)
    world.recipients = [named("ada"): World.ada]
    return world
  }

  @Test("everything that goes with it ends as if it had come after it")
  func fresh() async throws {
    var world = try await prepared()
    world.say("a two", at: "a")
    world.declare("b", [remote("b"), remote("elsewhere")])
    world.declare("c")
    world.say("c one", at: "c")
    world.put("theirs", "B")
    world.choose("s", ["c"])
    world.targets[named("old")] = nil
    world.send("app", ["A": "a", "B": "b", "C": "c"])
    let outcome = try await world.apply()
    #expect(outcome.isComplete, "\(outcome.reports.filter { $0.result != .done })")
    #expect(outcome.reports.first.map(words) == "rewrap recipients: done")
    #expect(try world.store.recorded().store?.epoch == 2)
    #expect(try await world.plan().steps == [])
    #expect(world.held() == ["A": "a two", "B": "b one", "C": "c one"])
    #expect(world.held(at: place("web")) == [:])
  }

  @Test("stale grounds are still told")
  func stale() async throws {
    let world = try await prepared()
    world.say("a two", at: "a")
    let plan = try await world.plan()
    world.put("theirs", "A")
    #expect(
      try await world.apply(plan).reports.map(words) == [
        "rewrap recipients: done", "replace key.a: done", "sync target.app: stale", "sync target.old: done",
      ])
  }

  @Test("a rewrap that was planned before somebody else left does not let them back in")
  func back() async throws {
    var world = try await prepared()
    let bob = Recipient(publicKey: "age1bob")
    world.recipients = [named("ada"): World.ada, named("ci"): ci, named("bob"): bob]
    let plan = try await world.plan()
    world.recipients = [named("ada"): World.ada]
    #expect(try await world.apply().isComplete)
    #expect(try await world.apply(plan).reports.map(words) == ["rewrap recipients: stale"])
    #expect(try world.store.recorded().recipients == [named("ada"): World.ada])
  }
}
