import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

@Suite("Names of a target that cannot be read")
struct UnreadNameTests {
  private func answer(_ failures: [String: AccessFailure.Kind], of names: [String]) -> TargetAnswer {
    let read = names.filter { failures[$0] == nil }.map { ($0, TargetValue.text(SecretBox(Array($0.utf8)))) }
    return TargetAnswer(
      Dictionary(uniqueKeysWithValues: read), failures: failures.mapValues { AccessFailure($0, "It is not read.") },
      of: names)
  }

  @Test("a failure of one name leaves the others", arguments: [AccessFailure.Kind.denied, .unreadable])
  func one(kind: AccessFailure.Kind) {
    guard case .values(let values) = answer(["B": kind], of: ["A", "B", "C"]), case .failed(let failure)? = values["B"],
      case .text? = values["A"], case .text? = values["C"]
    else {
      Issue.record("the others are not read")
      return
    }
    #expect(failure.kind == kind && failure.reason == "It is not read.")
  }

  @Test(
    "a failure of the place, or of all names, is one of the place",
    arguments: [
      ["B": AccessFailure.Kind.unreachable], ["B": .throttled], ["B": .sealed], ["B": .unauthenticated],
      ["A": .denied, "B": .denied], ["A": .denied, "B": .unreachable],
    ])
  func wholePlace(failures: [String: AccessFailure.Kind]) {
    guard case .failed(let failure) = answer(failures, of: ["A", "B"]) else {
      Issue.record("some names are read")
      return
    }
    #expect(failure.reason.hasSuffix(": It is not read."))
  }

  private static let denied = AccessFailure(.denied, "Its key may not be used.")

  @Test("a name that cannot be read at apply only is not overwritten, and the others are written")
  func written() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    let out = place("/out", surface: ExternalAccess(.path, "/out"))
    world.send("app", ["K": "a", "L": "a"], to: out, takeOver: true)
    world.put("theirs", "K", at: out)
    world.target.failRead(Self.denied, of: "K")
    let outcome = try await world.apply()
    #expect(outcome.reports.last.map(words) == "sync target.app: failed")
    guard case .failed(.nameRefused("K", Self.denied, more: 0, _))? = outcome.reports.last?.result else {
      Issue.record("\(outcome.reports)")
      return
    }
    #expect(world.held(at: out) == ["K": "theirs", "L": "one"])
    #expect(try world.store.recorded().targets[named("app")]?.entries.keys.sorted() == ["L"])
  }

  /// A world in which a target has a value under two names.
  private func applied() async throws -> World {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a", "L": "a"])
    try await world.apply()
    return world
  }

  @Test("a name that cannot be read at apply only is not removed, and the others are")
  func withdrawn() async throws {
    var world = try await applied()
    world.targets = [:]
    var observation = try await world.observe()
    observation.targets[place("app")] = .notAskedHere
    let plan = Plan.reconciling(world.manifest, with: observation, at: world.now).plan
    world.target.failRead(Self.denied, of: "K")
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(words) == ["withdraw target.app: failed"])
    #expect(world.held() == ["K": "one"])
    #expect(try world.store.recorded().targets[named("app")]?.entries.keys.sorted() == ["K"])
  }

  @Test("a name that can no longer be read at apply is left, although the plan read it, and the others are changed")
  func lost() async throws {
    var world = try await applied()
    world.say("two", at: "a")
    let replacing = try await world.plan()
    world.target.failRead(Self.denied, of: "K")
    var outcome = try await world.apply(replacing)
    #expect(outcome.reports.last.map(words) == "sync target.app: failed")
    #expect(world.held() == ["K": "one", "L": "two"])
    world.target.failRead(nil, of: "K")
    world.targets = [:]
    let removing = try await world.plan()
    world.target.failRead(Self.denied, of: "K")
    outcome = try await world.apply(removing)
    #expect(outcome.reports.map(words) == ["withdraw target.app: failed"])
    #expect(world.held() == ["K": "one"])
    #expect(try world.store.recorded().targets[named("app")]?.entries.keys.sorted() == ["K"])
    world.target.failRead(nil, of: "K")
    try await world.apply()
    #expect(world.held().isEmpty)
  }
}
