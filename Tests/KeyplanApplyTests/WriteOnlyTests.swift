import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanTesting
import Testing

/// Places that do not show what was written to them.
@Suite("A target that does not show its values")
struct WriteOnlyTests {
  private static let shop = Destination(type: "marked", location: "shop")
  private static let app: Identifier<Target> = named("app")

  /// A world in which two keys were written to the place.
  private func applied() async throws -> World {
    var world = World()
    world.declare("a")
    world.declare("b")
    world.say("one", at: "a")
    world.say("two", at: "b")
    world.send("app", ["A": "a", "B": "b"], to: Self.shop)
    try await world.apply()
    return world
  }

  private func held(_ world: World) -> [String: String] {
    world.marked.contents(at: Self.shop).mapValues { String(decoding: $0, as: UTF8.self) }
  }

  private func entries(_ world: World) throws -> [String: TargetRecord.Entry] {
    try world.store.recorded().targets[Self.app]?.entries ?? [:]
  }

  @Test("is written once, with the marks that it shows after the write, and then left alone")
  func quiet() async throws {
    let world = try await applied()
    #expect(held(world) == ["A": "one", "B": "two"])
    let recorded = try entries(world)
    #expect(recorded.values.allSatisfy { $0.mark != nil && $0.kept == nil })
    #expect(recorded["A"]?.mark != recorded["B"]?.mark)
    let writes = world.marked.writes
    #expect(try await world.apply().reports.isEmpty)
    #expect(world.marked.writes == writes)
  }

  @Test("10,000 quiet sweeps find nothing")
  func sweeps() async throws {
    let world = try await applied()
    let recorded = try world.store.recorded()
    let observer = world.observer()
    var found = 0
    for _ in 0..<10_000 {
      let observed = await observer.observe(world.manifest, recorded: recorded)
      found += Finding.drift(of: world.manifest, in: observed, at: world.now).findings.count
    }
    #expect(found == 0)
  }

  @Test("a value that is changed there is written again, and one that is removed")
  func changed() async throws {
    let world = try await applied()
    world.marked.put(Array("theirs".utf8), under: "A", at: Self.shop)
    world.marked.put(nil, under: "B", at: Self.shop)
    let findings = Finding.drift(of: world.manifest, in: try await world.observe(), at: world.now).findings
    #expect(findings.map(\.kind) == [.targetRewritten, .targetMissing])
    #expect(try await world.apply().reports.map(words) == ["sync target.app: done"])
    #expect(held(world) == ["A": "one", "B": "two"])
    #expect(try await world.plan().steps.isEmpty)
  }

  @Test("what somebody else put there first is not overwritten without permission")
  func guarded() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["A": "a"], to: Self.shop)
    world.marked.put(Array("theirs".utf8), under: "A", at: Self.shop)
    #expect(try await world.planned().diagnostics.map(\.code) == [.targetTaken])
    world.send("app", ["A": "a"], to: Self.shop, takeOver: true)
    try await world.apply()
    #expect(held(world) == ["A": "one"])
  }

  @Test("what is done of a write is recorded, whatever becomes of the other names")
  func partial() async throws {
    var world = try await applied()
    world.say("three", at: "a")
    world.say("four", at: "b")
    world.marked.fail(.refused(AccessFailure(.denied, "The token may not write B.")), name: "B")
    let outcome = try await world.apply()
    guard case .failed(let failure)? = outcome.reports.last?.result else {
      Issue.record("\(outcome.reports)")
      return
    }
    let names = StepFailure.NamesDone(done: 1, all: 2)
    #expect(failure == .nameRefused("B", AccessFailure(.denied, "The token may not write B."), more: 0, names))
    #expect(held(world) == ["A": "three", "B": "two"])
    world.marked.fail(nil, name: "B")
    world.now = world.now + .days(1)
    let plan = try await world.plan()
    guard case .outside(.sync(_, let write))? = plan.steps.first?.effect else {
      Issue.record("\(plan.steps)")
      return
    }
    #expect(plan.steps.count == 1 && write.entries.map(\.name) == ["B"])
    try await world.apply(plan)
    #expect(held(world) == ["A": "three", "B": "four"])
    #expect(try await world.plan().steps.isEmpty)
  }

  @Test("a name whose answer is lost is written again, whether it was written or not", arguments: [true, false])
  func unknown(isWritten: Bool) async throws {
    let world = try await applied()
    world.say("three", at: "a")
    world.marked.fail(isWritten ? .writtenButLost : .lost, name: "A")
    #expect(try await world.apply().reports.last.map(words) == "sync target.app: failed")
    #expect(try world.store.recorded().attempts[Self.app]?.names.keys.sorted() == ["A"])
    world.marked.fail(nil, name: "A")
    let plan = try await world.plan()
    #expect(plan.steps.map(\.cause) == [.interrupted])
    try await world.apply(plan)
    #expect(held(world) == ["A": "three", "B": "two"])
    #expect(try world.store.recorded().attempts.isEmpty)
    #expect(try await world.plan().steps.isEmpty)
  }

  @Test("a name that is changed between plan and apply is stale, and the others are written")
  func stale() async throws {
    let world = try await applied()
    world.say("three", at: "a")
    world.say("four", at: "b")
    let plan = try await world.plan()
    world.marked.put(Array("theirs".utf8), under: "A", at: Self.shop)
    #expect(try await world.apply(plan).reports.last.map(words) == "sync target.app: stale")
    #expect(held(world) == ["A": "theirs", "B": "four"])
    #expect(try entries(world)["B"]?.fingerprint == world.store.recorded().keys[named("b")]?.version.fingerprint)
    try await world.apply()
    #expect(held(world) == ["A": "three", "B": "four"])
    #expect(try await world.plan().steps.isEmpty)
  }

  @Test("a name that the place itself finds stale stays as it is, and the others are recorded")
  func guardedByThePlace() async throws {
    let world = try await applied()
    world.say("three", at: "a")
    world.say("four", at: "b")
    world.marked.fail(.stale, name: "A")
    #expect(try await world.apply().reports.last.map(words) == "sync target.app: stale")
    #expect(held(world) == ["A": "one", "B": "four"])
    world.marked.fail(nil, name: "A")
    try await world.apply()
    #expect(try await world.plan().steps.isEmpty)
  }

  @Test("somebody else's write to another name changes no step, and makes none stale")
  func elsewhere() async throws {
    let world = try await applied()
    world.say("three", at: "a")
    let plan = try await world.plan()
    world.marked.put(Array("x".utf8), under: "THEIRS", at: Self.shop)
    #expect(try await world.plan() == plan)
    #expect(try await world.apply(plan).isComplete)
  }

  @Test("a changed value that is accepted is left alone until the key changes")
  func accepted() async throws {
    let world = try await applied()
    world.marked.put(Array("theirs".utf8), under: "A", at: Self.shop)
    let amended = Plan.amending(
      world.manifest, by: .acceptTarget(Self.app, name: "A"), with: try await world.observe(), at: world.now)
    #expect(try await world.apply(amended.plan).isComplete)
    #expect(try await world.plan().steps.isEmpty)
    world.marked.put(Array("theirs again".utf8), under: "A", at: Self.shop)
    #expect(Finding.drift(of: world.manifest, in: try await world.observe(), at: world.now).findings.isEmpty)
    #expect(held(world)["A"] == "theirs again")
    world.say("three", at: "a")
    try await world.apply()
    #expect(held(world)["A"] == "three")
    #expect(try entries(world)["A"]?.kept == nil)
  }

  @Test("what is accepted is not withdrawn, and what is ours is")
  func withdrawn() async throws {
    var world = try await applied()
    world.marked.put(Array("theirs".utf8), under: "A", at: Self.shop)
    let amended = Plan.amending(
      world.manifest, by: .acceptTarget(Self.app, name: "A"), with: try await world.observe(), at: world.now)
    try await world.apply(amended.plan)
    world.targets = [:]
    try await world.apply()
    #expect(held(world) == ["A": "theirs"])
    #expect(try world.store.recorded().targets.isEmpty)
  }

  @Test("a value that the place does not take is reported, and keeps no other one from being written")
  func tooLarge() async throws {
    let world = try await applied()
    world.say(String(repeating: "x", count: 21), at: "a")
    world.say("four", at: "b")
    guard case .failed(let failure)? = try await world.apply().reports.last?.result else {
      Issue.record("it was written")
      return
    }
    #expect(failure == .tooLarge("A", at: Self.shop, limit: 20, StepFailure.NamesDone(done: 1, all: 2)))
    #expect(held(world) == ["A": "one", "B": "four"])
    world.say("five", at: "a")
    try await world.apply()
    #expect(held(world) == ["A": "five", "B": "four"])
  }

  @Test("a plan asks each place once, and an apply asks the places that it writes once more")
  func askedOnce() async throws {
    let world = try await applied()
    let reads = world.marked.reads
    _ = try await world.plan()
    #expect(world.marked.reads == reads + 1)
  }

  @Test("another place of the same name is not touched")
  func replaced() async throws {
    let world = try await applied()
    world.marked.identify(Self.shop, as: "4")
    world.say("three", at: "a")
    try await world.apply()
    #expect(try world.store.recorded().targets[Self.app]?.placeId == "4")
    world.say("four", at: "a")
    let plan = try await world.plan()
    world.marked.identify(Self.shop, as: "5")
    #expect(try await world.planned().diagnostics.map(\.code) == [.targetUnreadable])
    #expect(try await world.apply(plan).reports.last.map(words) == "sync target.app: stale")
    #expect(held(world)["A"] == "three")
  }

  @Test("one that shows presence alone says so, and a removed name is written again")
  func presence() async throws {
    var world = World()
    let shop = Destination(type: "present", location: "shop")
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["A": "a"], to: shop)
    try await world.apply()
    let (plan, diagnostics) = try await world.planned()
    #expect(plan.steps.isEmpty && diagnostics.map(\.code) == [.targetWriteOnly])
    world.present.put(nil, under: "A", at: shop)
    try await world.apply()
    #expect(world.present.contents(at: shop) == ["A": Array("one".utf8)])
  }

  @Test(
    "an interrupted apply is finished by the next one, whichever effect fails", arguments: Faults.Mode.allCases, 1...12)
  func interrupted(mode: Faults.Mode, number: Int) async throws {
    let world = try await applied()
    world.say("three", at: "a")
    let plan = try await world.plan()
    _ = try? await world.apply(plan, Faults(mode, at: number))
    try await world.apply()
    #expect(held(world) == ["A": "three", "B": "two"])
    #expect(try await world.plan().steps.isEmpty)
  }
}
