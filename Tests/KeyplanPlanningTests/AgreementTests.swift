import KeyplanModel
import KeyplanPlanning
import Testing

/// What plan says of a name or a key, drift says, too.
@Suite struct AgreementTests {
  private func drift(_ scene: Scene) -> Drift { Finding.drift(of: scene.manifest, in: scene.observed, at: now) }

  private func kinds(_ scene: Scene) -> [String] {
    drift(scene).findings.map { "\($0.level) \($0.kind) \($0.address)" }
  }

  /// "a" is retired, and named by a target.
  private func retired(isHeld: Bool) -> Scene {
    var scene = Scene()
    scene.declare("a", [local("A")])
    scene.record("a", retired: true)
    scene.find("a", "one")
    scene.target("app", [from("A", "a")])
    if isHeld { scene.recordTarget("app", ["A": ("a", "one")]) }
    scene.hold(isHeld ? ["A": "one"] : [:])
    return scene
  }

  @Test("a retired key that a target names is a finding, as it is an error of the plan")
  func retiredKey() {
    let scene = retired(isHeld: false)
    #expect(scene.faults() == ["noUsableKey target.app"])
    #expect(kinds(scene) == ["pending expired key.a"])
  }

  @Test("the value of a retired key at a target is declared there, and its key was retired")
  func retiredValue() {
    let scene = retired(isHeld: true)
    #expect(kinds(scene) == ["broken expired key.a", "pending targetLeft target.app.A"])
    guard case .valueLeft(_, .retired, isSeen: true, isReplaced: false)? = drift(scene).findings.last?.fact else {
      Issue.record("\(drift(scene).findings)")
      return
    }
  }

  @Test(
    "a target whose key was forgotten is compared with what was written there, if the next apply writes it again",
    arguments: [
      (there: ["A": "one"], found: [String]()), (["A": "typed"], ["broken targetChanged target.app.A"]),
      ([:], ["broken targetMissing target.app.A"]),
    ])
  func forgotten(there: [String: String], found: [String]) {
    var scene = Scene()
    scene.declare("a", [local("A")])
    scene.find("a", "one")
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(there)
    #expect(kinds(scene) == found)
    let isDrift = scene.plan().plan.steps.contains { $0.cause == .drift }
    #expect(isDrift == !found.isEmpty)
  }

  @Test("a forgotten key without a value waits: the next apply writes nothing")
  func waits() {
    var scene = Scene()
    scene.declare("a", [])
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "typed"])
    #expect(kinds(scene) == [] && drift(scene).left.waiting == 1)
  }

  @Test("a revoked value that the next apply replaces is not said to be removed", arguments: [true, false])
  func replaced(isGenerated: Bool) {
    var scene = Scene()
    if isGenerated { scene.declareGenerated("a") } else { scene.declare("a", [local("A")]) }
    scene.record("a")
    if !isGenerated { scene.find("a", "one") }
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    let revocation = Revocation(fingerprint: print("one", of: "a"), version: 1, at: now)
    scene.observed.recorded.keys[named("a")]?.revoked = [revocation]
    let left = drift(scene).findings.compactMap { finding -> Bool? in
      guard case .valueLeft(_, .revoked, _, let isReplaced) = finding.fact else { return nil }
      return isReplaced
    }
    #expect(left == [isGenerated])
  }

  @Test("names and sources that were not looked at are named")
  func notLookedAt() {
    var scene = Scene()
    scene.declare("a", [local("A")])
    scene.record("a")
    scene.find("a", .notAskedHere(index: 0))
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.observed.targets[place(".env")] = .notAskedHere
    let left = drift(scene).left
    #expect(left.notRead == [.key(named("a"))] && left.notCompared == [.entry(named("app"), name: "A")])
  }
}
