import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import Testing

/// A write that happened, of which nobody could write down that it did.
@Suite struct LeftoverTests {
  /// Key "a" is stored; the write of K to "app" happens, and the machine dies.
  private func died(_ edit: (inout World) -> Void = { _ in }) async throws -> World {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    try await world.apply()
    world.send("app", ["K": "a"])
    edit(&world)
    let plan = try await world.plan()
    // The target's read stands between the journal's entry and the write.
    let outcome = try await world.apply(plan, Faults(.deathAfter, at: plan.steps.count == 1 ? 3 : 4))
    #expect(outcome.reports.last.map(words) == "sync target.app: failed")
    let destination = try #require(world.targets[named("app")]).destination
    #expect(world.held(at: destination)["K"] == "one")
    return world
  }

  @Test("a target that leaves the manifest then is withdrawn from, by the next plan")
  func leaves() async throws {
    var world = try await died()
    #expect(
      try world.store.recorded().attempts == [
        named("app"): WriteAttempt(destination: place("app"), names: ["K": named("a")])
      ])
    world.targets = [:]
    let plan = try await world.plan()
    #expect(plan.steps.map(\.cause) == [.interrupted])
    #expect(try await world.apply(plan).reports.map(words) == ["withdraw target.app: done"])
    #expect(world.held() == [:])
    #expect(try world.store.recorded().attempts == [:])
    #expect(try await world.plan().steps == [])
  }

  @Test("a withdrawal of it that fails is planned again")
  func again() async throws {
    var world = try await died()
    world.targets = [:]
    for mode in Faults.Mode.allCases {
      let outcome = try await world.apply(try await world.plan(), Faults(mode, at: mode == .deathAfter ? 1 : 3))
      #expect(!outcome.isComplete)
      #expect(world.held() == ["K": "one"], "\(mode)")
    }
    #expect(try await world.apply().isComplete)
    #expect(world.held() == [:])
    #expect(try await world.plan().steps == [])
  }

  @Test("a value that was written over an older one is withdrawn, though the record speaks of the older")
  func newer() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    try await world.apply()
    world.say("two", at: "a")
    // Reading the source, storing, the journal's entry, the target's read, the write.
    try await world.apply(try await world.plan(), Faults(.deathAfter, at: 5))
    #expect(world.held() == ["K": "two"])
    world.targets = [:]
    #expect(try await world.apply().reports.map(words) == ["withdraw target.app: done"])
    #expect(world.held() == [:])
    #expect(try await world.plan().steps == [])
  }

  @Test("a target that stays takes it for its own")
  func stays() async throws {
    let world = try await died()
    let writes = world.target.writes
    #expect(try await world.apply().reports.map(words) == ["sync target.app: done"])
    #expect(world.target.writes == writes)
    #expect(try world.store.recorded().attempts == [:])
    #expect(try await world.plan().steps == [])
  }

  @Test("a name that the target has no longer is withdrawn, beside what it has")
  func renamed() async throws {
    var world = try await died()
    world.send("app", ["L": "a"])
    #expect(
      try await world.apply().reports.map(words) == ["sync target.app: done", "withdraw target.app: done"])
    #expect(world.held() == ["L": "one"])
    #expect(try world.store.recorded().attempts == [:])
    #expect(try await world.plan().steps == [])
  }

  @Test("a target that moved meanwhile clears the place where it never was")
  func moved() async throws {
    var world = try await died()
    world.send("app", ["K": "a"], to: place("web"))
    #expect(
      try await world.apply().reports.map(words) == ["withdraw target.app: done", "sync target.app: done"])
    #expect(world.held() == [:])
    #expect(world.held(at: place("web")) == ["K": "one"])
    #expect(try world.store.recorded().attempts == [:])
    #expect(try await world.plan().steps == [])
  }

  @Test("another target that takes the place over takes the value over")
  func takenOver() async throws {
    var world = try await died()
    world.targets = [:]
    world.send("other", ["K": "a"])
    #expect(
      try await world.apply().reports.map(words) == ["settle target.app: done", "sync target.other: done"])
    #expect(world.held() == ["K": "one"])
    #expect(try await world.plan().steps == [])
  }

  @Test("its key is forgotten after it, and not while the place cannot be asked")
  func forgotten() async throws {
    var world = try await died()
    world.targets = [:]
    world.keys = [:]
    world.allowances.forget = true
    let broken = World.Unreachable(target: world.target)
    let observer = Observer(fingerprints: world.store.copy(), sources: [world.source], targets: [broken])
    let observed = await observer.observe(world.manifest, recorded: try world.store.recorded())
    let (plan, diagnostics) = Plan.reconciling(world.manifest, with: observed, allowing: world.allowances, at: start)
    #expect(plan.steps == [])
    #expect(diagnostics.map(\.code) == [.targetUnreachable])
    #expect(
      try await world.apply().reports.map(words) == ["withdraw target.app: done", "forget key.a: done"])
    #expect(world.held() == [:])
  }

  @Test("what somebody put there meanwhile stays")
  func theirs() async throws {
    var world = try await died()
    world.put("theirs", "K")
    world.targets = [:]
    #expect(try await world.apply().reports.map(words) == ["settle target.app: done"])
    #expect(world.held() == ["K": "theirs"])
    #expect(try world.store.recorded().attempts == [:])
    #expect(try await world.plan().steps == [])
  }

  @Test("a place outside keeps its leave until it is cleared")
  func outside() async throws {
    let out = place("/out", surface: ExternalAccess(.path, "/out"))
    var world = try await died { $0.send("app", ["K": "a"], to: out) }
    world.targets = [:]
    #expect(
      try await world.apply().reports.map(words) == [
        "withdraw target.app: done", "disallow surface.path /out: done",
      ])
    #expect(world.held(at: out) == [:])
    #expect(try await world.plan().steps == [])
  }
}

extension World {
  struct Unreachable: SecretTarget {
    let target: MemoryTarget
    var backend: BackendDescription { target.backend }

    func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
      TargetSight(.failed(AccessFailure(.unreachable, "Down.")))
    }

    func write(
      _ changes: TargetChanges, at destination: Destination
    ) async throws(AccessFailure) -> [String: WriteResult] {
      throw AccessFailure(.unreachable, "Down.")
    }
  }
}
