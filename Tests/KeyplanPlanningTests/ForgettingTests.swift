import KeyplanModel
import KeyplanPlanning
import Testing

@Suite struct ForgettingTests {
  static let limits: [(recorded: Int, leaving: Int, faults: [String])] = [
    (10, 3, []), (4, 3, []), (10, 4, ["forgetLimit"]), (14, 4, []), (13, 4, ["forgetLimit"]), (2, 2, ["keyProtected"]),
    (1, 1, ["keyProtected"]), (20, 6, []), (20, 7, ["forgetLimit"]),
  ]

  @Test("more than 3 and more than 30 % are refused, and so is the last key", arguments: limits)
  func limit(recorded: Int, leaving: Int, faults: [String]) {
    var scene = Scene()
    for number in 0..<recorded {
      if number < leaving { scene.record("k\(number)") } else { scene.settled("k\(number)") }
    }
    #expect(scene.faults() == faults)
    #expect(scene.faults(Allowances(forget: true)) == [])
    #expect(scene.steps().count == leaving)
    #expect(scene.plan().diagnostics.allSatisfy { $0.code.isGuard && $0.code.reach == .everything })
  }

  @Test("a protected key is held")
  func protected() {
    var scene = Scene()
    scene.settled("b")
    scene.record("a", facts: Scene.facts("a", isProtected: true))
    #expect(scene.faults() == ["keyProtected key.a"])
    #expect(scene.faults(Allowances(forget: true)) == [])
  }

  @Test("an active key is held, unless its slot hands over to another one")
  func active() {
    var scene = Scene()
    scene.settled("b")
    scene.record("a")
    scene.choose("s", ["b"], recorded: "a")
    #expect(scene.faults() == [])
    #expect(scene.steps() == ["activate active.s a -> b (manifest)", "forget key.a (manifest)"])
    #expect(after(scene.plan().plan.steps, .forget) == ["active.s"])
    scene.declare("c", [])
    scene.choose("s", ["c"], recorded: "a")
    #expect(scene.faults().contains("keyProtected key.a"))
    #expect(
      scene.steps(Allowances(forget: true)) == ["deactivate active.s (follows)", "forget key.a (manifest)"],
      "no slot is left on a key that is gone")
  }

  @Test("forgetting waits for every target that holds the value")
  func withdrawals() {
    var scene = Scene()
    scene.settled("b")
    scene.record("a")
    for name in ["app", "web"] {
      scene.recordTarget(name, ["K": ("a", "one")], at: place(name))
      scene.hold(["K": "one"], at: place(name))
    }
    let steps = scene.plan().plan.steps
    #expect(after(steps, .forget) == ["target.app", "target.web"])
    scene.observed.targets[place("web")] = .unreachable(reason: "No.")
    #expect(scene.steps() == ["withdraw target.app -K (manifest)"], "one target still holds it")
  }

  @Test("a key whose name at a target waits for another key is not forgotten yet")
  func handedOver() {
    var scene = Scene()
    scene.record("a")
    scene.declare("b", [])
    scene.settled("c")
    scene.target("app", [from("K", "b")])
    scene.recordTarget("app", ["K": ("a", "one")])
    scene.hold(["K": "one"])
    #expect(scene.steps() == [])
  }

  @Test("a target that this version does not support keeps its keys from being forgotten")
  func unsupported() {
    var scene = Scene()
    scene.record("a")
    scene.settled("b")
    scene.target("app", [from("K", "b")])
    scene.recordTarget("app", ["K": ("a", "one")])
    scene.unsupported = [.init(.target(named("app")), "vault targets", place: nil)]
    #expect(scene.steps() == [])
  }

  @Test("withdrawals count too, but not hand-overs nor retired keys")
  func withdrawalLimit() {
    var scene = Scene()
    let names = (0..<6).map { "k\($0)" }
    for name in names { scene.settled(name) }
    let entries = Dictionary(uniqueKeysWithValues: names.map { ($0.uppercased(), (key: $0, value: "one")) })
    scene.recordTarget("app", entries)
    scene.hold(entries.mapValues(\.value))
    #expect(scene.faults() == ["forgetLimit"])
    #expect(scene.faults(Allowances(forget: true)) == [])
    for name in names { scene.record(name, retired: true) }
    #expect(scene.faults() == [])
    for name in names { scene.record(name) }
    scene.choose("s", names, recorded: "k1")
    scene.target("app", [from(.variable, slot: "s")])
    #expect(scene.faults() == [])
  }
}
