import KeyplanModel
import KeyplanPlanning
import Testing

/// A key under another name: its record comes along.
@Suite struct MoveTests {
  /// "old" is recorded, active and at a target; "new" is declared in its place.
  private func renamed() -> Scene {
    var scene = Scene()
    scene.declare("new", [remote("new")])
    scene.record("old", facts: Scene.facts("new", [remote("new")]))
    scene.observed.sources[named("new")] = .value(print("one", of: "old"), index: 0, looksRight: true)
    scene.choose("s", ["new"], recorded: "old")
    scene.target("app", [from("K", "new")])
    scene.recordTarget("app", ["K": (key: "old", value: "one")])
    scene.observed.targets[place(".env")] = .entries(["K": FoundEntry([named("new"): print("one", of: "old")])])
    scene.move("old", to: "new")
    return scene
  }

  @Test("a move is one step: nothing is forgotten, stored, activated or synced because of it")
  func alone() {
    let scene = renamed()
    #expect(scene.steps() == ["move key.new from old (migration)"])
    #expect(scene.faults() == [])
    #expect(scene.plan().plan.steps.first?.ground == Precondition(revision: 3))
  }

  @Test("without the migration the same manifest forgets and stores")
  func without() {
    var scene = renamed()
    scene.migrations = []
    #expect(scene.plan().plan.steps.map(\.effect.action).contains(.forget))
  }

  @Test("what changes besides waits for the move, and is planned on the old record's revision")
  func besides() {
    var scene = renamed()
    scene.observed.sources[named("new")] = .value(print("two", of: "old"), index: 0, looksRight: true)
    let steps = scene.plan().plan.steps
    #expect(steps.map(\.effect.action) == [.move, .replace, .sync])
    #expect(steps[1].ground.revision == 3)
    #expect(steps[1].after == [.key(named("new"))])
    #expect(steps[2].after == [.key(named("new"))])
  }

  @Test("a target that leaves and a slot that ends wait for the names they know")
  func leaving() {
    var scene = renamed()
    scene.targets = [:]
    scene.slots = [:]
    let steps = scene.plan().plan.steps
    #expect(steps.map(\.effect.action) == [.move, .deactivate, .withdraw])
    #expect(steps.dropFirst().allSatisfy { $0.after.contains(.key(named("new"))) })
  }

  @Test("a name that went there and back can go there again")
  func again() {
    var scene = renamed()
    let (old, new) = (named("old") as Identifier<Key>, named("new") as Identifier<Key>)
    scene.observed.recorded.migrated = [Migration.mark(moving: old, to: new), Migration.mark(moving: new, to: old)]
    #expect(scene.steps() == ["move key.new from old (migration)"])
  }

  @Test("once done it is no step any more, whatever is recorded under the old name later")
  func once() {
    var scene = renamed()
    scene.observed.recorded.migrated = [Migration.mark(moving: named("old"), to: named("new"))]
    #expect(!scene.plan().plan.steps.contains { $0.effect.action == .move })
    var done = Scene()
    done.settled("new")
    done.move("old", to: "new")
    #expect(done.steps() == [])
    #expect(done.faults() == [])
  }

  @Test("two records for one name are refused and left as they are")
  func refused() {
    var scene = Scene()
    scene.settled("new")
    scene.record("old")
    scene.record("older")
    scene.move("old", to: "new")
    #expect(scene.faults() == ["moveRefused key.new"])
    #expect(scene.steps() == ["forget key.older (manifest)"])
    scene.observed.recorded.keys[named("new")] = nil
    scene.move("older", to: "new")
    #expect(scene.faults(Allowances(forget: true)) == ["moveRefused key.new"])
    #expect(scene.steps(Allowances(forget: true)) == ["store key.new (manifest)"])
  }

  @Test("drift sees a target under the new name")
  func drift() {
    var scene = renamed()
    #expect(Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings == [])
    scene.hold(["K": "theirs"])
    let findings = Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
    #expect(findings.map(\.kind) == [.targetChanged])
  }
}
