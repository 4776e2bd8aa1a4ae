import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

@Suite struct SlotTests {
  @Test("active keys that share a variable are told, since readers could not export both")
  func sharedVariables() {
    var scene = Scene()
    scene.settled("a")
    scene.keys[named("b")] = Key(facts: KeyFacts(provider: "openai", variable: "A"), sources: [])
    scene.record("b")
    scene.choose("s", ["a"], recorded: "a")
    #expect(scene.faults() == [])
    scene.choose("t", ["b"], recorded: "b")
    #expect(scene.faults() == ["questionable active.t"])
    scene.choose("t", ["a"], recorded: "a")
    #expect(scene.faults() == [], "one key in two slots is one variable")
  }

  static let over = Expiry(.after(.days(10)), warn: .days(2), then: .retire)

  static let rows: [KeyTableTests.Row] = [
    .init("the first usable candidate is active", steps: ["activate active.s a (manifest)"]) {
      $0.settled("a")
      $0.settled("b")
      $0.choose("s", ["a", "b"])
    },
    .init(
      "one that has no value is passed over", steps: ["activate active.s b (manifest)"],
      faults: [
        "secretNotFound key.a"
      ]
    ) {
      $0.declare("a")
      $0.find("a", .missing)
      $0.settled("b")
      $0.choose("s", ["a", "b"])
    },
    .init("one that is retired is passed over", steps: ["activate active.s a -> b (expiry)"]) {
      $0.settled("a")
      $0.record("a", retired: true)
      $0.settled("b")
      $0.choose("s", ["a", "b"], recorded: "a")
    },
    .init(
      "one that comes to its end hands over and is retired",
      steps: [
        "activate active.s a -> b (expiry)", "retire key.a (expiry)",
      ]
    ) {
      $0.settled("a", expiry: over, stored: now - .days(10))
      $0.settled("b")
      $0.choose("s", ["a", "b"], recorded: "a")
    },
    .init(
      "a candidate that gets its value takes over",
      steps: [
        "store key.a (manifest)", "activate active.s b -> a (follows)",
      ]
    ) {
      $0.declare("a")
      $0.find("a", "one")
      $0.settled("b")
      $0.choose("s", ["a", "b"], recorded: "b")
    },
    .init("another order is the manifest's change", steps: ["activate active.s b -> a (manifest)"]) {
      $0.settled("a")
      $0.settled("b")
      $0.choose("s", ["a", "b"], recorded: "b")
    },
    .init("none usable: it stays, and that is an error", faults: ["secretNotFound key.a", "noUsableKey active.s"]) {
      $0.declare("a")
      $0.find("a", .missing)
      $0.settled("b")
      $0.choose("s", ["a"], recorded: "b")
    },
    .init("an unreachable candidate that is recorded stays active", faults: ["sourceUnreachable key.a"]) {
      $0.settled("a")
      $0.find("a", .unreachable(index: 0, reason: "No."))
      $0.settled("b")
      $0.choose("s", ["a", "b"], recorded: "a")
    },
    .init("a slot that left is ended", steps: ["deactivate active.s (manifest)"]) {
      $0.settled("a")
      $0.activate("s", "a")
    },
  ]

  @Test("every row gives its steps and its diagnostics", arguments: rows)
  func row(_ row: KeyTableTests.Row) {
    #expect(row.scene.steps() == row.steps)
    #expect(row.scene.faults().sorted() == row.faults.sorted())
  }

  @Test("a slot has exactly one key, whatever is usable")
  func exclusive() {
    var scene = Scene()
    for name in ["a", "b", "c"] { scene.settled(name) }
    scene.choose("s", ["c", "a", "b"])
    #expect(scene.steps() == ["activate active.s c (manifest)"])
  }

  @Test("activation waits for the value, and retirement for the one that takes over")
  func waits() {
    var scene = Scene()
    scene.settled("a", expiry: Self.over, stored: now - .days(10))
    scene.declare("b")
    scene.find("b", "one")
    scene.choose("s", ["a", "b"], recorded: "a")
    let steps = scene.plan().plan.steps
    #expect(after(steps, .activate) == ["key.b"])
    #expect(after(steps, .retire) == ["active.s"])
  }
}
