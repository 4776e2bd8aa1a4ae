import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import Testing

/// Programs that run after something was written to a target.
@Suite struct HookTests {
  private var world = World()

  init() {
    world.say("one", at: "a")
    world.say("two", at: "b")
    world.declare("a")
    world.declare("b")
    world.send("app", ["A": "a", "B": "b"], hook: reload("app"))
  }

  private func due() throws -> [String] { try world.store.recorded().dueHooks.keys.map(\.name) }

  @Test("a hook runs once after all names are written, is told the target alone, and not again without a change")
  mutating func once() async throws {
    #expect(try await world.apply().isComplete)
    #expect(world.hooks.calls.map(\.command) == [["reload", "app"]])
    #expect(world.hooks.calls.map(\.variables) == [["KEYPLAN_TARGET": "app"]])
    #expect(world.seen.contents(at: "app") == ["A": "one", "B": "two"])
    #expect(try due() == [])
    #expect(try await world.plan().isEmpty)
    world.say("three", at: "a")
    try await world.apply()
    #expect(world.hooks.calls.count == 2)
  }

  @Test("a hook that fails leaves what was written and recorded, stays due, and is cleared once it succeeds")
  mutating func failing() async throws {
    world.hooks.fail(AccessFailure(.unreachable, "It failed."))
    let outcome = try await world.apply()
    #expect(outcome.reports.map(words).suffix(2) == ["sync target.app: done", "run target.app: failed"])
    guard case .failed(.hook(let failure)) = outcome.reports.last?.result else {
      Issue.record("\(outcome.reports)")
      return
    }
    #expect(failure.reason == "It failed.")
    #expect(try world.store.recorded().targets[named("app")]?.entries.count == 2)
    #expect(try due() == ["app"])
    let plan = try await world.plan()
    #expect(plan.steps.map(\.effect.action) == [.run] && plan.steps.map(\.cause) == [.interrupted])
    try await world.apply()
    #expect(try due() == ["app"])
    world.hooks.fail(nil)
    #expect(try await world.apply().isComplete)
    #expect(try due() == [])
    #expect(try await world.plan().isEmpty)
  }

  @Test(
    "a run that fails or ends between the write and the hook leaves the hook due, and the next one runs it",
    arguments: Faults.Mode.allCases)
  func killed(mode: Faults.Mode) async throws {
    var (written, left) = (0, 0)
    for number in 1...30 {
      let world = HookTests().world
      try await world.apply()
      world.say("three", at: "a")
      let faults = Faults(mode, at: number)
      try await world.apply(try await world.plan(), faults)
      if world.held()["A"] == "three" {
        written += 1
        let isDue = try world.store.recorded().dueHooks[named("app")] != nil
        left += isDue ? 1 : 0
        #expect(isDue || world.seen.contents(at: "app")["A"] == "three", "\(mode) at \(number)")
      }
      #expect(try await world.apply().isComplete, "\(mode) at \(number)")
      #expect(world.seen.contents(at: "app")["A"] == "three", "\(mode) at \(number)")
      #expect(try world.store.recorded().dueHooks == [:], "\(mode) at \(number)")
      #expect(try await world.plan().isEmpty, "\(mode) at \(number)")
      if faults.effects < number { break }
    }
    #expect(written > 3 && left > 1)
  }

  @Test("nothing runs where the values were there already, or nothing could be written")
  mutating func nothing() async throws {
    world.put("one", "A")
    world.put("two", "B")
    // What was there is only known at apply to be the same.
    let plan = try await world.plan()
    #expect(try await world.apply(plan).isComplete)
    #expect(world.hooks.calls == [])
    #expect(try due() == [])
    world.say("three", at: "a")
    let next = try await world.plan()
    world.put("theirs", "A")
    let outcome = try await world.apply(next)
    #expect(outcome.reports.map(words).suffix(2) == ["sync target.app: stale", "run target.app: not tried"])
    #expect(world.hooks.calls == [])
    #expect(try due() == [])
  }

  @Test("withdrawn names run it, too, and so does the end of the environment")
  mutating func withdrawing() async throws {
    try await world.apply()
    world.send("app", ["A": "a"], hook: reload("app"))
    try await world.apply()
    #expect(world.hooks.calls.count == 2)
    #expect(world.seen.contents(at: "app") == ["A": "one"])
    let left = world.manifest.withoutEntries
    let observed = await world.observer().observe(left, recorded: try world.store.recorded())
    let (plan, _) = Plan.reconciling(left, with: observed, allowing: Allowances(forget: true), at: world.now)
    #expect(plan.steps.map(\.effect.action).contains(.run), "\(plan.steps)")
    let outcome = try await Applier(
      store: world.store, observer: world.observer(), hooks: world.hooks, manifest: left, clock: { start }
    ).apply(plan)
    #expect(outcome.isComplete, "\(outcome.reports)")
    #expect(world.hooks.calls.count == 3)
    #expect(world.seen.contents(at: "app") == [:])
  }

  @Test("a hook that is no longer declared is not run, and no longer due")
  mutating func dropped() async throws {
    world.hooks.fail(AccessFailure(.unreachable, "It failed."))
    try await world.apply()
    world.send("app", ["A": "a", "B": "b"])
    let plan = try await world.plan()
    #expect(plan.steps.map(\.effect.action) == [.settle])
    try await world.apply(plan)
    #expect(try due() == [])
    #expect(world.hooks.calls.count == 1)
    world.send("app", ["A": "a", "B": "b"], hook: reload("app"))
    #expect(try await world.plan().isEmpty)
  }

  @Test("a hook runs only with its own permission; that of the same program as a source is none")
  mutating func permission() async throws {
    let item = ExternalAccess(.hook, "reload app")
    world.send("app", ["A": "a", "B": "b"], hook: reload("app", surface: item))
    let surface = ExternalAccess(.command, "reload app")
    _ = try world.store.commit(
      [.allow(surface, ["target app"])], expecting: try world.serial, at: world.now)
    let plan = try await world.plan()
    #expect(
      plan.steps.contains { $0.effect == .store(.allow(item, AccessGrant(["target app"]))) }, "\(plan.steps)")
    #expect(plan.steps.last?.after == [.surface(item)] || plan.steps.contains { $0.after.contains(.surface(item)) })
    // Without the step that allows it, nothing runs.
    let without = Plan(steps: plan.steps.filter { $0.effect.action != .allow })
    let outcome = try await world.apply(without)
    #expect(outcome.reports.contains { $0.result == .stale(.notAllowed) }, "\(outcome.reports)")
    #expect(world.hooks.calls == [])
    #expect(try await world.apply().isComplete)
    #expect(world.hooks.calls.count == 1)
  }

  @Test("a hook that was declared differently since it was planned is not run, and stays due")
  mutating func redeclared() async throws {
    let plan = try await world.plan()
    world.send("app", ["A": "a", "B": "b"], hook: reload("other"))
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.last?.result == .stale(.redeclared(.target(named("app")))))
    #expect(world.hooks.calls == [])
    #expect(try due() == ["app"])
  }
}
