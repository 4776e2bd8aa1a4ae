import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import Synchronization
import Testing

@Suite struct ApplyingTests {
  /// One key, one slot, one target, all applied.
  private func applied(_ value: String = "one") async throws -> World {
    var world = World()
    world.declare("a")
    world.say(value, at: "a")
    world.send("app", ["K": "a"])
    world.choose("s", ["a"])
    #expect(try await world.apply().isComplete)
    return world
  }

  @Test("a first apply stores, activates and syncs, with one commit for the store and two for the target")
  func first() async throws {
    let world = try await applied()
    #expect(world.held() == ["K": "one"])
    #expect(try world.serial == 4)
    #expect(try world.store.recorded().interrupted == [:])
    #expect(try world.store.recorded().slots[named("s")]?.key == named("a"))
  }

  @Test("a source that moved between plan and apply is stale, and what waits for it is not tried; the rest goes on")
  func staleSource() async throws {
    var world = try await applied()
    world.declare("b")
    world.say("b one", at: "b")
    world.say("two", at: "a")
    world.send("web", ["B": "b"], to: place("web"))
    let plan = try await world.plan()
    world.say("three", at: "a")
    let outcome = try await world.apply(plan)
    #expect(
      outcome.reports.map(words) == [
        "replace key.a: stale", "store key.b: done", "sync target.app: not tried", "sync target.web: done",
      ])
    #expect(world.held() == ["K": "one"])
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["K": "three"])
  }

  @Test("a value that fails does not become active in the same transaction")
  func failedActivation() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.choose("s", ["a"])
    let plan = try await world.plan()
    world.source.say(.unreachable("Down."), to: remote("a"))
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(words) == ["store key.a: failed", "activate active.s: not tried"])
    #expect(try world.store.recorded().slots == [:])
  }

  @Test("a target that moved between plan and apply is stale, whoever changed it and to what")
  func staleTarget() async throws {
    for (before, after) in [("one", "theirs"), ("one", nil), (nil, "theirs"), (nil, "two")] as [(String?, String?)] {
      let world = try await applied()
      world.put(before, "K")
      world.say("two", at: "a")
      let plan = try await world.plan()
      world.put(after, "K")
      let outcome = try await world.apply(plan)
      #expect(outcome.reports.map(words) == ["replace key.a: done", "sync target.app: stale"])
      #expect(world.held()["K"] == after)
      #expect(try world.store.recorded().interrupted == [:])
    }
  }

  @Test("a withdrawal is stale once somebody put another value there")
  func staleWithdrawal() async throws {
    var world = try await applied()
    world.targets = [:]
    let plan = try await world.plan()
    world.put("theirs", "K")
    #expect(try await world.apply(plan).reports.map(words) == ["withdraw target.app: stale"])
    #expect(world.held() == ["K": "theirs"])
  }

  @Test("a record that another apply changed makes its own steps stale, and nothing else")
  func staleRecord() async throws {
    var world = try await applied()
    world.declare("b")
    world.say("b one", at: "b")
    world.say("two", at: "a")
    let plan = try await world.plan()
    var other = world
    other.keys[named("b")] = nil
    try await other.apply()
    let outcome = try await world.apply(plan)
    #expect(
      outcome.reports.map(words) == ["replace key.a: stale", "store key.b: done", "sync target.app: not tried"])
  }

  @Test("changes elsewhere stale nothing")
  func unrelated() async throws {
    let world = try await applied()
    world.say("two", at: "a")
    let plan = try await world.plan()
    var other = world
    other.keys = [:]
    other.slots = [:]
    other.targets = [:]
    other.declare("c")
    other.say("c one", at: "c")
    other.allowances.forget = true
    let full = try await other.plan()
    try await other.apply(Plan(steps: full.steps.filter { $0.address == .key(named("c")) }))
    #expect(try world.store.recorded().keys.count == 2)
    #expect(try await world.apply(plan).isComplete)
  }

  @Test("a failed sync stops its target's withdrawal and the forgetting that waits for it")
  func chain() async throws {
    var world = World()
    for name in ["a", "b", "c"] {
      world.declare(name)
      world.say(name, at: name)
    }
    world.send("app", ["A": "a", "B": "b"])
    try await world.apply()
    world.keys[named("a")] = nil
    world.send("app", ["B": "b", "C": "c"])
    world.target.failWrite(number: world.target.writes + 1, with: AccessFailure(.unreadable, "Full."))
    let plan = try await world.plan()
    let outcome = try await world.apply(plan)
    #expect(
      outcome.reports.map(words) == [
        "sync target.app: failed", "withdraw target.app: not tried", "forget key.a: not tried",
      ])
    #expect(try world.store.recorded().keys.count == 3)
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["B": "b", "C": "c"])
    #expect(try world.store.recorded().keys.count == 2)
  }

  @Test("a move whose old place fails does not write the new one")
  func failedMove() async throws {
    var world = try await applied()
    world.send("app", ["K": "a"], to: place("x"))
    world.target.failWrite(number: world.target.writes + 1, with: AccessFailure(.unreadable, "Full."))
    let outcome = try await world.apply()
    #expect(outcome.reports.map(words) == ["withdraw target.app: failed", "sync target.app: not tried"])
    #expect(world.held(at: place("x")) == [:])
    #expect(try await world.apply().isComplete)
    #expect(world.held() == [:])
    #expect(world.held(at: place("x")) == ["K": "one"])
  }

  @Test("one target's failure leaves the others alone")
  func partial() async throws {
    var world = try await applied()
    world.send("web", ["K": "a"], to: place("web"))
    world.send("x", ["K": "a"], to: place("x"))
    let plan = try await world.plan()
    world.target.fail(.unreachable("Down."), at: place("web"))
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(words) == ["sync target.web: failed", "sync target.x: done"])
    #expect(outcome.reports.first?.result == .failed(.outside(AccessFailure(.unreachable, "Down."))))
  }

  @Test("begun without finished is interrupted in the next observation, and settled or done by the next apply")
  func interrupted() async throws {
    for mode in [Faults.Mode.deathBefore, .deathAfter] {
      let world = try await applied()
      world.put("theirs", "K")
      let plan = try await world.plan()
      try await world.apply(plan, Faults(mode, at: 3))
      let open = try await world.observe()
      #expect(open.recorded.interrupted.keys.map(\.description) == ["target.app"])
      #expect(Finding.drift(of: world.manifest, in: open, at: start).findings.contains { $0.kind == .interrupted })
      let next = try await world.plan()
      #expect(next.steps.map(\.effect.action) == [mode == .deathAfter ? .settle : .sync])
      #expect(next.steps.map(\.cause) == [.interrupted])
      #expect(try await world.apply(next).isComplete)
      #expect(try world.store.recorded().interrupted == [:])
      #expect(world.held() == ["K": "one"])
    }
  }

  @Test("a value that a dead run wrote is still keyplan's own when its key has moved on")
  func orphaned() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    let plan = try await world.plan()
    try await world.apply(plan, Faults(.deathAfter, at: 5))
    #expect(world.held() == ["K": "one"])
    #expect(try world.store.recorded().targets == [:])
    world.say("two", at: "a")
    #expect(try await world.planned().diagnostics == [])
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["K": "two"])
  }

  @Test("a cancelled run tries nothing more, and the next one ends it")
  func cancelled() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    let (plan, running) = (try await world.plan(), world)
    let outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
      group.cancelAll()
      group.addTask { try await running.apply(plan) }
      return try await group.next()
    }
    #expect(outcome?.reports.map(words) == ["store key.a: not tried", "sync target.app: not tried"])
    #expect(try world.serial == 1)
    #expect(try await world.apply().isComplete)
  }

  @Test("a store that cannot be written ends the run, and says why of every step")
  func store() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    let outcome = try await world.apply(try await world.plan(), Faults(.once, at: 2))
    #expect(outcome.reports.map(words) == ["store key.a: failed", "sync target.app: not tried"])
    #expect(outcome.storeError?.code == .io)
    #expect(world.target.writes == 0)
  }

  @Test("every step is told as it ends, once")
  func told() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    let plan = try await world.plan()
    let heard = Heard()
    let applier = Applier(
      store: world.store, observer: world.observer(), manifest: world.manifest, clock: { start },
      tell: { heard.hear($0) })
    let outcome = try await applier.apply(plan)
    #expect(heard.all == outcome.reports)
  }

  private final class Heard: Sendable {
    private let reports = Mutex<[StepReport]>([])
    var all: [StepReport] { reports.withLock { $0 } }
    func hear(_ report: StepReport) { reports.withLock { $0.append(report) } }
  }

  @Test("an empty placeholder is nothing: it is written without a take-over, and missing where a value was")
  func placeholder() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    world.put("", "K")
    let (plan, diagnostics) = try await world.planned()
    #expect(diagnostics.isEmpty && plan.steps.map(\.effect.action) == [.store, .sync])
    #expect(try await world.apply(plan).isComplete)
    #expect(world.held() == ["K": "one"])
    // A value that somebody emptied is gone, and no new one.
    world.put("", "K")
    #expect(try await world.findings().map { "\($0.kind)" } == ["targetMissing"])
    let accepting = Plan.amending(
      world.manifest, by: .acceptTarget(named("app"), name: "K"), with: try await world.observe(), at: world.now)
    #expect(accepting.plan.isEmpty && !accepting.diagnostics.isEmpty)
    #expect(try await world.apply().reports.map(words) == ["sync target.app: done"])
    #expect(world.held() == ["K": "one"])
    // What is not keyplan's is left as it is.
    world.put("", "K")
    world.targets = [:]
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["K": ""])
    #expect(try world.store.recorded().targets.isEmpty)
  }

  @Test("take-over is looked at again just before a value that was known at apply only")
  func takeOver() async throws {
    for (there, allowed, result) in [
      ("one", false, "done"), ("theirs", false, "failed"), ("theirs", true, "done"),
    ] {
      var world = World()
      world.declare("a", [command("op")])
      world.commands.say(.value(Array("one".utf8)), to: command("op"))
      world.send("app", ["K": "a"], takeOver: allowed)
      world.put(there, "K")
      let (plan, diagnostics) = try await world.planned()
      #expect(!diagnostics.contains { $0.code.isGuard })
      #expect(try await world.apply(plan).reports.last.map(words) == "sync target.app: \(result)")
      #expect(world.held()["K"] == (result == "failed" ? "theirs" : "one"))
    }
  }
}
