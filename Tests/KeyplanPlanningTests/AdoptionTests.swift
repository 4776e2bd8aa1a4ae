import KeyplanModel
import KeyplanPlanning
import Testing

/// A value that moves into the store: declared × recorded × found where it was.
@Suite struct AdoptionTests {
  private func scene(isRemoved: Bool = true) -> Scene {
    var scene = Scene()
    scene.adopt("a", from: ".env", "A", isRemoved: isRemoved)
    scene.original("a", "one")
    return scene
  }

  private let adopts = "adopt key.a from dotenv://.env#A (migration)"
  private let removes = "remove migration.1 from dotenv://.env#A (migration)"

  @Test("nothing recorded: adopted, and removed where that is wanted, after it")
  func fresh() {
    #expect(scene(isRemoved: false).steps() == [adopts])
    let steps = scene().plan().plan.steps
    #expect(steps.map(words) == [adopts, removes])
    #expect(steps[0].ground == Precondition(source: print("one", of: "a")))
    #expect(steps[1].ground == Precondition(source: print("one", of: "a")))
    #expect(steps[1].after == [.key(named("a"))])
  }

  @Test("a slot chooses it and a target gets it by the same plan; the original goes last")
  func used() {
    var scene = scene()
    scene.choose("s", ["a"])
    scene.target("app", [from("K", "a")], at: place("out.env"))
    scene.hold([:], at: place("out.env"))
    #expect(
      scene.steps() == [adopts, "activate active.s a (follows)", "sync target.app K:new (manifest)", removes]
        || scene.steps().map { $0.split(separator: " ")[0] } == ["adopt", "activate", "sync", "remove"])
    #expect(after(scene.plan().plan.steps, .sync).contains("key.a"))
  }

  @Test("recorded: only what is still to be removed, and only while it holds a value that the key had")
  func recorded() {
    for isRemoved in [true, false] {
      var scene = scene(isRemoved: isRemoved)
      scene.record("a")
      #expect(scene.steps() == (isRemoved ? [removes] : []))
      #expect(scene.faults() == [])
      scene.record("a", "two", history: ["one"])
      #expect(scene.steps() == (isRemoved ? [removes] : []))
      scene.record("a", "two")
      #expect(scene.steps() == [])
      #expect(scene.faults() == (isRemoved ? ["changedByOthers migration.1"] : []))
    }
  }

  @Test("once done it is no step any more, whatever stands there")
  func once() {
    for isRemoved in [true, false] {
      var scene = scene(isRemoved: isRemoved)
      scene.observed.recorded.migrated = ["adopt a dotenv://.env#A"]
      #expect(scene.steps() == [])
      #expect(scene.faults() == ["noValueYet key.a"])
      scene.record("a")
      #expect(scene.steps() == [])
      #expect(scene.faults() == [])
    }
  }

  @Test(
    "without a value there, nothing is adopted and nothing removed",
    arguments: [
      (SourceFinding.missing, "secretNotFound", nil), (.unreachable(index: 0, reason: "No."), "sourceUnreachable", 1),
      (.unreadable(index: 0, reason: "No."), "sourceUnreadable", 1),
    ] as [(SourceFinding, String, Int?)])
  func without(finding: SourceFinding, code: String, told: Int?) {
    var scene = scene()
    scene.observed.originals[named("a")] = finding
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["\(code) key.a"])
    scene.record("a")
    #expect(scene.steps() == [])
    #expect(scene.faults() == (told.map { ["\(code) migration.\($0)"] } ?? []))
  }

  @Test("a removal that was interrupted is finished, and settled where its migration has left the manifest")
  func interrupted() {
    var scene = scene()
    scene.record("a")
    scene.observed.recorded.interrupted = [.migration(1): now]
    #expect(scene.steps() == ["remove migration.1 from dotenv://.env#A (interrupted)"])
    scene.observed.originals[named("a")] = .missing
    #expect(scene.steps() == ["remove migration.1 from dotenv://.env#A (interrupted)"])
    #expect(scene.plan().plan.steps.first?.ground == Precondition())
    scene.migrations = []
    #expect(scene.steps() == ["settle migration.1 (interrupted)"])
  }

  @Test("what is not allowed yet is allowed first, and known at apply")
  func surface() {
    let item = ExternalAccess(.path, "/etc/legacy")
    var scene = Scene()
    scene.declare("a", [])
    scene.migrations = [
      Migration(1, .place(inFile("/etc/legacy", "A", surface: item), isRemoved: true), to: named("a"))
    ]
    scene.observed.originals[named("a")] = .notAllowed(index: 0)
    let steps = scene.plan().plan.steps
    #expect(steps.map(\.effect.action) == [.allow, .adopt, .remove])
    #expect(steps[1].after == [.surface(item)])
    #expect(steps[2].after == [.key(named("a")), .surface(item)])
    #expect(steps.allSatisfy { $0.ground == Precondition() })
  }

  @Test("a removal is refused while somebody else needs the original")
  func needed() {
    var scene = scene()
    scene.declare("b", [inFile(".env", "A")])
    scene.find("b", "one")
    #expect(scene.faults() == ["removalRefused migration.1"])
    scene.declare("b", [inFile(".env", nil)])
    #expect(scene.faults() == ["removalRefused migration.1"], "the whole file")
    scene.declare("b", [inFile(".env", "B")])
    #expect(scene.faults() == [], "another name in the same file")
    scene.target("app", [from("A", "a")])
    scene.hold(["A": "one"])
    #expect(scene.faults() == ["removalRefused migration.1"], "a target that writes the same name")
    scene.target("app", [from("OTHER", "a")])
    scene.hold([:])
    #expect(scene.faults() == [], "a target that writes another name")
    let refusal = Diagnostic.Code.removalRefused
    #expect(refusal.isGuard && refusal.reach == .everything && refusal.severity == .error)
  }

  @Test("a whole file is refused while somebody needs anything in it; a name at its top is the pointer to it")
  func neededWithin() {
    var scene = Scene()
    scene.adopt("a", from: "f", nil, isRemoved: true)
    scene.original("a", "one")
    #expect(scene.faults() == [])
    scene.declare("b", [inFile("f", "B")])
    scene.find("b", "x")
    #expect(scene.faults() == ["removalRefused migration.1"])
    var pointer = Scene()
    pointer.adopt("a", from: "f.json", "/A", isRemoved: true)
    pointer.original("a", "one")
    pointer.target("app", [from("A", "a")], at: place("f.json"))
    pointer.hold(["A": "one"], at: place("f.json"))
    #expect(pointer.faults() == ["removalRefused migration.1"])
  }

  @Test("another key that adopts the same value comes first, or holds the removal back")
  func heirs() {
    var scene = scene()
    scene.adopt("b", from: ".env", "A", isRemoved: false)
    scene.original("b", "one")
    #expect(after(scene.plan().plan.steps, .remove) == ["key.a", "key.b"])
    scene.observed.originals[named("b")] = nil
    #expect(scene.faults() == ["noValueYet key.b", "removalRefused migration.1"])
    scene.record("b")
    #expect(scene.faults() == [])
    #expect(after(scene.plan().plan.steps, .remove) == ["key.a"])
  }

  @Test("a format that does not fit warns, and the value is adopted")
  func format() {
    var scene = scene()
    scene.observed.originals[named("a")] = .value(print("one", of: "a"), index: 0, looksRight: false)
    #expect(scene.steps() == [adopts, removes])
    #expect(scene.faults() == ["unexpectedFormat key.a"])
  }
}
