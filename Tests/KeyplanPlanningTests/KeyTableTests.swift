import KeyplanModel
import KeyplanPlanning
import Testing

/// Declared × recorded × found at the source.
@Suite struct KeyTableTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let scene: Scene
    let steps: [String]
    let faults: [String]

    init(_ words: String, steps: [String] = [], faults: [String] = [], _ make: (inout Scene) -> Void) {
      testDescription = words
      var scene = Scene()
      make(&scene)
      self.scene = scene
      self.steps = steps
      self.faults = faults
    }
  }

  static let rows: [Row] = [
    Row("new, with a value: stored", steps: ["store key.a (manifest)"]) {
      $0.declare("a")
      $0.find("a", "one")
    },
    Row("new, and nowhere: not found", faults: ["secretNotFound key.a"]) {
      $0.declare("a", [remote("a"), local("A")])
      $0.find("a", .missing)
    },
    Row("new and local, and nowhere: not found", faults: ["secretNotFound key.a"]) {
      $0.declare("a", [local("A")])
      $0.find("a", .missing)
    },
    Row("the same value: nothing") { $0.settled("a") },
    Row("another value at the same source: drift", steps: ["replace key.a (sourceChanged)"]) {
      $0.settled("a")
      $0.find("a", "two")
    },
    Row("another value at another source: the manifest's", steps: ["replace key.a (manifest)"]) {
      $0.settled("a")
      $0.declare("a", [remote("elsewhere")])
      $0.find("a", "two")
    },
    Row("the same value at another source: an update", steps: ["update key.a (manifest)"]) {
      $0.settled("a")
      $0.declare("a", [remote("elsewhere")])
      $0.find("a", "one")
    },
    Row("the same value from a later source: an update, by drift", steps: ["update key.a (sourceChanged)"]) {
      $0.declare("a", [remote("a"), local("A")])
      $0.record("a")
      $0.find("a", "one", at: 1)
    },
    Row("other facts: an update", steps: ["update key.a (manifest)"]) {
      $0.settled("a")
      $0.record("a", facts: Scene.facts("a", [remote("a")], provider: "anthropic"))
    },
    Row("recorded and gone from its source: kept, and said", faults: ["sourceMissing key.a"]) {
      $0.settled("a")
      $0.find("a", .missing)
    },
    Row("recorded and not here: nothing") {
      $0.declare("a", [local("A"), local("B")])
      $0.record("a")
      $0.find("a", .missing)
    },
    Row("recorded and gone from one local and one shared source: said", faults: ["sourceMissing key.a"]) {
      $0.declare("a", [local("A"), remote("a")])
      $0.record("a")
      $0.find("a", .missing)
    },
    Row("not here with other facts: an update", steps: ["update key.a (manifest)"]) {
      $0.declare("a", [local("A")])
      $0.record("a", facts: Scene.facts("a", [local("B")]))
      $0.find("a", .missing)
    },
    Row("new and unreachable: no step", faults: ["sourceUnreachable key.a"]) {
      $0.declare("a")
      $0.find("a", .unreachable(index: 0, reason: "No."))
    },
    Row("recorded and unreachable: nothing is changed", faults: ["sourceUnreachable key.a"]) {
      $0.settled("a")
      $0.find("a", .unreachable(index: 0, reason: "No."))
    },
    Row("recorded and unreadable: nothing is changed", faults: ["sourceUnreadable key.a"]) {
      $0.settled("a")
      $0.find("a", .unreadable(index: 0, reason: "No."))
    },
    Row("new and unreadable: no step", faults: ["sourceUnreadable key.a"]) {
      $0.declare("a")
      $0.find("a", .unreadable(index: 0, reason: "No."))
    },
    Row("follow once: another value stays outside") {
      $0.declare("a", follow: .once)
      $0.record("a")
      $0.find("a", "two")
    },
    Row("follow once, and new: stored", steps: ["store key.a (manifest)"]) {
      $0.declare("a", follow: .once)
      $0.find("a", "one")
    },
    Row("follow once, and given by hand: replaced", steps: ["replace key.a (byHand)"]) {
      $0.declare("a", follow: .once)
      $0.record("a")
      $0.find("a", .given(print("two", of: "a"), looksRight: true))
    },
    Row("still the rejected value: a warning and no step", faults: ["valueRejected key.a"]) {
      $0.settled("a")
      $0.record("a", rejected: "two")
      $0.find("a", "two")
    },
    Row("a third value after a rejection: replaced", steps: ["replace key.a (sourceChanged)"]) {
      $0.settled("a")
      $0.record("a", rejected: "two")
      $0.find("a", "three")
    },
    Row("the rejected value by hand: replaced", steps: ["replace key.a (byHand)"]) {
      $0.settled("a")
      $0.record("a", rejected: "two")
      $0.find("a", .given(print("two", of: "a"), looksRight: true))
    },
    Row(
      "an earlier value: replaced, and said", steps: ["replace key.a (sourceChanged)"], faults: ["valueReturned key.a"]
    ) {
      $0.settled("a")
      $0.record("a", "two", history: ["one"])
      $0.find("a", "one")
    },
    Row(
      "a value that looks wrong: taken, and said", steps: ["store key.a (manifest)"], faults: ["unexpectedFormat key.a"]
    ) {
      $0.declare("a")
      $0.find("a", "one", looksRight: false)
    },
    Row("retired, the same value: stays retired") {
      $0.declare("a")
      $0.record("a", retired: true)
      $0.find("a", "one")
    },
    Row(
      "retired, another value: replaced and chosen again",
      steps: [
        "replace key.a (sourceChanged)", "activate active.s b -> a (follows)",
      ]
    ) {
      $0.declare("a")
      $0.record("a", retired: true)
      $0.find("a", "two")
      $0.settled("b")
      $0.choose("s", ["a", "b"], recorded: "b")
    },
    Row("known at apply, new", steps: ["allow surface.command op (manifest)", "store key.a (manifest)"]) {
      $0.declare("a", [command("op")])
      $0.find("a", .notAllowed(index: 0))
    },
    Row("known at apply, recorded", steps: ["allow surface.command op (manifest)", "replace key.a (manifest)"]) {
      $0.settled("a")
      $0.declare("a", [command("op")])
      $0.find("a", .notAllowed(index: 0))
    },
    Row("no source, no value: said", faults: ["noValueYet key.a"]) { $0.declare("a", []) },
    Row("no source, given by hand: stored", steps: ["store key.a (byHand)"]) {
      $0.declare("a", [])
      $0.find("a", .given(print("one", of: "a"), looksRight: true))
    },
    Row("no source, recorded: nothing") {
      $0.declare("a", [])
      $0.record("a")
    },
    Row("no longer declared: forgotten", steps: ["forget key.a (manifest)"]) {
      $0.record("a")
      $0.settled("b")
    },
  ]

  @Test("every row gives its steps and its diagnostics", arguments: rows)
  func row(_ row: Row) {
    #expect(row.scene.steps() == row.steps)
    #expect(row.scene.faults() == row.faults)
  }

  @Test("*not found* names every source that was tried, in order")
  func names() throws {
    var scene = Scene()
    scene.declare("a", [remote("x"), local("Y")])
    scene.find("a", .missing)
    let fault = try #require(scene.plan().diagnostics.first)
    #expect(fault.issue == .key(named("a"), .notFound(at: [remote("x"), local("Y")], reason: nil)))
  }

  @Test("a step stands on the record's revision and on what the source gave")
  func grounds() throws {
    var scene = Scene()
    scene.settled("a")
    scene.find("a", "two")
    scene.declare("b")
    scene.find("b", "one")
    let steps = scene.plan().plan.steps
    #expect(
      steps.map(\.ground) == [
        Precondition(revision: 3, source: print("two", of: "a")), Precondition(source: print("one", of: "b")),
      ])
  }

  @Test("what is known at apply waits for its surface, and names the source that could not be asked")
  func unknown() throws {
    var scene = Scene()
    scene.declare("a", [local("A"), command("op")])
    scene.find("a", .notAllowed(index: 1))
    let step = try #require(scene.plan().plan.steps.last)
    #expect(step.after == [.surface(ExternalAccess(.command, "op"))])
    let write = KeyWrite(facts: scene.keys[named("a")]?.facts ?? Scene.facts("?"), source: 1)
    #expect(step.effect == .store(.key(named("a"), .store(write))))
    #expect(step.ground == Precondition())
  }

  @Test("a retired key whose value is known at apply is not made active before that")
  func unknownRetired() {
    var scene = Scene()
    scene.declare("a", [command("op")])
    scene.record("a", retired: true)
    scene.find("a", .notAllowed(index: 0))
    scene.settled("b")
    scene.choose("s", ["a", "b"], recorded: "b")
    #expect(!scene.steps().contains { $0.hasPrefix("activate") })
  }
}
