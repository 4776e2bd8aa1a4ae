import KeyplanModel
import KeyplanPlanning
import Testing

/// What is carried out together with a change of a key, and what is left for an apply.
@Suite struct ConsequencesTests {
  private static let a: Identifier<Key> = named("a")

  /// "a" is active before "b" and is at two targets; at the second one, "c" waits for its first apply.
  private func scene() -> Scene {
    var scene = Scene()
    scene.settled("a", "two")
    scene.record("a", "two", history: ["one"])
    scene.settled("b")
    scene.settled("c")
    scene.choose("s", ["a", "b"], recorded: "a")
    scene.target("app", [from(.fixed("S"), slot: "s"), from("A", "a")], at: place("app"))
    scene.recordTarget("app", ["S": ("a", "two"), "A": ("a", "two")], at: place("app"))
    scene.target("web", [from("A", "a"), from("C", "c")], at: place("web"))
    scene.recordTarget("web", ["A": ("a", "two")], at: place("web"))
    hold(in: &scene)
    return scene
  }

  private func hold(in scene: inout Scene) {
    scene.hold(["S": "two", "A": "two"], at: place("app"))
    scene.hold(["A": "two"], at: place("web"))
  }

  private func consequences(
    of amendment: Amendment, in scene: Scene, _ extent: Consequences.Extent = .all
  ) -> (steps: [String], faults: [String], Consequences) {
    let amended = Plan.amending(scene.manifest, by: amendment, with: scene.observed, at: now)
    let after = amended.after ?? scene.observed.recorded
    let isRevocation = if case .revoke = amendment { true } else { false }
    let change = KeyChange(
      amended.plan.steps, of: [Self.a], values: after.keys[Self.a].map { [Self.a: $0.version.fingerprint] } ?? [:],
      isRevocation: isRevocation)
    let found = Consequences(
      of: change, in: amended.next, amended.nextDiagnostics, scene.manifest, after, extent: extent)
    let faults = found.diagnostics.map { "\($0.code)" + ($0.address.map { " \($0)" } ?? "") }
    return (found.steps.map(words), faults, found)
  }

  @Test("a rollback is written where the key's value is by the records, and waits for the store's step")
  func rollback() {
    let (steps, faults, found) = consequences(of: .rollback(Self.a, to: 1), in: scene())
    #expect(
      steps == ["sync target.app A:keyChanged S:keyChanged (manifest)", "sync target.web A:keyChanged (manifest)"])
    #expect(faults == [])
    #expect(found.steps.allSatisfy { $0.after.contains(.key(Self.a)) })
    #expect(found.steps.map { $0.ground.target?.keys.sorted() } == [["A", "S"], ["A"]])
  }

  @Test("a revocation moves slots on and replaces, and removes what nothing replaces")
  func revocation() {
    let (steps, faults, found) = consequences(of: .revoke(Self.a, reason: nil), in: scene())
    #expect(
      steps == [
        "activate active.s a -> b (revocation)", "sync target.app S:keyChanged (manifest)",
        "withdraw target.app -A (revocation)", "withdraw target.web -A (revocation)",
      ])
    #expect(faults == [])
    #expect(found.removed == [named("app"): ["A"], named("web"): ["A"]])
  }

  @Test("without leave to remove, what nothing replaces stays and is refused")
  func withoutRemovals() {
    let (steps, faults, found) = consequences(of: .revoke(Self.a, reason: nil), in: scene(), .replacements)
    #expect(steps == ["activate active.s a -> b (revocation)", "sync target.app S:keyChanged (manifest)"])
    #expect(faults == ["nothingLeft target.app", "nothingLeft target.web"])
    #expect(found.removed == [:])
  }

  @Test("in an untrusted checkout nothing follows, and each target is named")
  func untrusted() {
    let (steps, faults, _) = consequences(of: .rollback(Self.a, to: 1), in: scene(), .none)
    #expect(steps == [])
    #expect(faults == ["targetPending target.app", "targetPending target.web"])
  }

  struct Edit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (inout Scene) -> Void
  }

  @Test(
    "a target that is not declared as it is recorded waits for an apply, and the other one does not",
    arguments: [
      Edit(testDescription: "another place") {
        $0.target("web", [from("A", "a")], at: place("elsewhere"))
        $0.hold([:], at: place("elsewhere"))
      },
      Edit(testDescription: "another name") { $0.target("web", [from("OTHER", "a")], at: place("web")) },
      Edit(testDescription: "another key under the name") { $0.target("web", [from("A", "b")], at: place("web")) },
      Edit(testDescription: "no longer declared") { $0.targets[named("web")] = nil },
      Edit(testDescription: "a place that the record alone names") {
        $0.recordTarget("web", ["A": ("a", "two")], at: place("/etc/other"))
        $0.hold(["A": "two"], at: place("/etc/other"))
      },
      Edit(testDescription: "a place that cannot be asked") {
        $0.observed.targets[place("web")] = .unreachable(reason: "There is no network.")
      },
      Edit(testDescription: "a place that cannot be written") { $0.hinder(at: place("web")) },
      Edit(testDescription: "a command that nobody allowed") {
        let surface = ExternalAccess(.command, "web")
        $0.target("web", [from("A", "a")], at: place("web", surface: surface))
        $0.recordTarget("web", ["A": ("a", "two")], at: place("web", surface: surface))
        $0.observed.targets[place("web", surface: surface)] = .notAllowed
      },
    ])
  func edited(edit: Edit) {
    var scene = scene()
    edit.make(&scene)
    let rollback = consequences(of: .rollback(Self.a, to: 1), in: scene)
    #expect(rollback.steps == ["sync target.app A:keyChanged S:keyChanged (manifest)"])
    #expect(rollback.faults == ["targetPending target.web"])
    let revocation = consequences(of: .revoke(Self.a, reason: nil), in: scene)
    #expect(!revocation.steps.contains { $0.contains("target.web") })
    #expect(revocation.faults == ["targetPending target.web"])
  }

  @Test("a slot whose candidates were put in another order waits for an apply")
  func editedSlot() {
    var scene = scene()
    scene.choose("s", ["b", "a"], recorded: "a")
    let (steps, faults, _) = consequences(of: .rollback(Self.a, to: 1), in: scene)
    #expect(!steps.contains { $0.contains("S:") || $0.contains("activate") })
    #expect(faults == ["targetPending target.app"])
  }

  @Test("a generated value that is revoked is generated anew, and the target gets it")
  func generated() {
    var scene = Scene()
    scene.declareGenerated("a")
    scene.record("a")
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    let (steps, faults, _) = consequences(of: .revoke(Self.a, reason: nil), in: scene, .replacements)
    #expect(steps == ["replace key.a (revocation)", "sync target.app A:keyChanged (follows)"])
    #expect(faults == [])
  }

  @Test("a revoked key whose sources were edited waits for an apply, and one with a new value at its source does not")
  func editedSources() {
    for isEdited in [false, true] {
      var scene = scene()
      if isEdited { scene.declare("a", [remote("elsewhere")]) }
      scene.find("a", "three")
      let (steps, _, _) = consequences(of: .revoke(Self.a, reason: nil), in: scene)
      #expect(steps.contains { $0.hasPrefix("replace key.a") } == !isEdited, "\(steps)")
    }
  }

  @Test("a name that cannot be set is named, and its neighbours follow")
  func unusableName() {
    var scene = scene()
    scene.target("web", [from("A", "a"), from("B", "a")], at: place("web"))
    scene.recordTarget("web", ["A": ("a", "two"), "B": ("a", "two")], at: place("web"))
    scene.hold(["A": "two", "B": "two"], at: place("web"))
    scene.observed.writeBlockers[place("web")] = WriteBlockers(setting: ["A": WriteBlocker(reason: "\"A\" is a list.")])
    let (steps, _, found) = consequences(of: .rollback(Self.a, to: 1), in: scene)
    #expect(steps.contains("sync target.web B:keyChanged (manifest)"), "\(steps)")
    #expect(found.diagnostics.map(\.issue) == [.target(named("web"), .pending(place("web"), names: ["A"], .refused))])
  }

  @Test("a revoked value that is gone from its target is not named")
  func gone() {
    var scene = scene()
    scene.hold([:], at: place("web"))
    let (steps, faults, _) = consequences(of: .revoke(Self.a, reason: nil), in: scene)
    #expect(!steps.contains { $0.contains("target.web") } && faults == [])
  }

  @Test("a revocation that was interrupted follows, too")
  func interrupted() {
    var scene = scene()
    scene.observed.recorded.keys[Self.a]?.revoked = [
      Revocation(fingerprint: print("two", of: "a"), version: 2, at: now - .days(1), reason: nil)
    ]
    let (steps, _, _) = consequences(of: .revoke(Self.a, reason: nil), in: scene)
    #expect(steps.count == 4)
  }
}
