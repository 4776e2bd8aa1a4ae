import KeyplanModel
import KeyplanPlanning
import Testing

/// Declared × recorded × found at the target.
@Suite struct TargetTableTests {
  static let taken = ["targetTaken target.app"]
  static let hindered = ["targetUnreadable target.app"]
  static let nameHindered = ["targetNameUnusable target.app"]

  static let rows: [KeyTableTests.Row] = [
    .init("new, nothing there: synced", steps: ["sync target.app K:new (manifest)"]) {
      $0.app(recorded: nil, holding: nil)
    },
    .init("new, the same value: a mere record", steps: ["sync target.app K:alreadyThere (manifest)"]) {
      $0.app(recorded: nil, holding: "one")
    },
    .init("new, another value: refused", steps: ["sync target.app K:takeOver (manifest)"], faults: taken) {
      $0.app(recorded: nil, holding: "theirs")
    },
    .init(
      "new, another value, with takeOver",
      steps: [
        "guard rules -target.app takes over values that are there (manifest)", "sync target.app K:takeOver (manifest)",
      ]
    ) {
      $0.app(recorded: nil, holding: "theirs")
      $0.target("app", [from("K", "a")], takeOver: true)
    },
    .init("new, an earlier value of the key: ours", steps: ["sync target.app K:keyChanged (manifest)"]) {
      $0.record("a", history: ["zero"])
      $0.app(recorded: nil, holding: "zero")
      $0.record("a", history: ["zero"])
    },
    .init("new, and something is in the way: not planned", faults: hindered) {
      $0.app(recorded: nil, holding: nil)
      $0.hinder()
    },
    .init(
      "new, the same value, and something is in the way: a mere record",
      steps: ["sync target.app K:alreadyThere (manifest)"]
    ) {
      $0.app(recorded: nil, holding: "one")
      $0.hinder()
    },
    .init(
      "new, and something is in the way of whoever asks: planned for others",
      steps: ["sync target.app K:new (manifest)"],
      faults: ["targetNotWritable target.app"]
    ) {
      $0.app(recorded: nil, holding: nil)
      $0.hinder(isOnlyHere: true)
    },
    .init("recorded and there, and something is in the way: nothing") {
      $0.app(recorded: "one", holding: "one")
      $0.hinder()
    },
    .init("another name, and something is in the way: told once", faults: hindered) {
      $0.app(recorded: "one", holding: "one")
      $0.target("app", [from("L", "a")])
      $0.hinder()
    },
    .init("a name that left, and something is in the way", faults: hindered) {
      $0.app(recorded: "one", holding: "one")
      $0.target("app", [])
      $0.hinder()
    },
    .init("a key that left, and something is in the way: kept as long as it is held there", faults: hindered) {
      $0.app(recorded: "one", holding: "one")
      $0.settled("b", "other")
      $0.hold(["K": "one"])
      $0.target("app", [])
      $0.keys[named("a")] = nil
      $0.hinder()
    },
    .init("another place, and something is in the way there: nothing leaves the old one", faults: hindered) {
      $0.app(recorded: "one", holding: "one")
      $0.hold([:], at: place("other"))
      $0.target("app", [from("K", "a")], at: place("other"))
      $0.hinder(at: place("other"))
    },
    .init(
      "a name that cannot be set: the others are written", steps: ["sync target.app L:new (manifest)"],
      faults: nameHindered
    ) {
      $0.app(recorded: nil, holding: nil)
      $0.target("app", [from("K", "a"), from("L", "a")])
      $0.hinderNames(setting: ["K"])
    },
    .init("only a name that cannot be set", faults: nameHindered) {
      $0.app(recorded: nil, holding: nil)
      $0.hinderNames(setting: ["K"])
    },
    .init(
      "a name that cannot be removed: the others are written and removed",
      steps: ["sync target.app N:new (manifest)", "withdraw target.app -L (manifest)"], faults: nameHindered
    ) {
      $0.app(recorded: nil, holding: nil)
      $0.recordTarget("app", ["K": ("a", "one"), "L": ("a", "one")])
      $0.hold(["K": "one", "L": "one"])
      $0.target("app", [from("N", "a")])
      $0.hinderNames(removing: ["K"])
    },
    .init(
      "a foreign value that cannot be replaced: the permission to do so is not asked for",
      steps: ["sync target.app L:new (manifest)"], faults: nameHindered
    ) {
      $0.app(recorded: nil, holding: "theirs")
      $0.target("app", [from("K", "a"), from("L", "a")])
      $0.hinderNames(setting: ["K"])
    },
    .init(
      "a name that could not be read: the others are written and removed",
      steps: ["sync target.app N:new (manifest)", "withdraw target.app -L (manifest)"], faults: nameHindered
    ) {
      $0.app(recorded: nil, holding: nil)
      $0.recordTarget("app", ["K": ("a", "one"), "L": ("a", "one")])
      $0.hold(["L": "one"])
      $0.conceal("K")
      $0.target("app", [from("K", "a"), from("N", "a")])
    },
    .init("a name that could not be read and is no longer declared stays", faults: nameHindered) {
      $0.app(recorded: nil, holding: nil)
      $0.recordTarget("app", ["K": ("a", "one"), "L": ("a", "one")])
      $0.hold(["L": "one"])
      $0.conceal("K")
      $0.target("app", [from("L", "a")])
    },
    .init("another place, and a name at the old one that could not be read: nothing moves", faults: hindered) {
      $0.app(recorded: nil, holding: nil)
      $0.recordTarget("app", ["K": ("a", "one"), "L": ("a", "one")], at: place("other"))
      $0.hold(["L": "one"], at: place("other"))
      $0.conceal("K", at: place("other"))
    },
    .init("another place where one name cannot be set: nothing leaves the old one", faults: hindered) {
      $0.app(recorded: nil, holding: nil)
      $0.recordTarget("app", ["K": ("a", "one")], at: place("other"))
      $0.hold(["K": "one"], at: place("other"))
      $0.target("app", [from("K", "a"), from("L", "a")])
      $0.hinderNames(setting: ["L"])
    },
    .init("another place where one name could not be read: nothing leaves the old one", faults: hindered) {
      $0.app(recorded: nil, holding: nil)
      $0.recordTarget("app", ["K": ("a", "one")], at: place("other"))
      $0.hold(["K": "one"], at: place("other"))
      $0.target("app", [from("K", "a"), from("L", "a")])
      $0.conceal("L")
    },
    .init("recorded and there: nothing") { $0.app(recorded: "one", holding: "one") },
    .init("recorded and there, the key has moved on", steps: ["sync target.app K:keyChanged (manifest)"]) {
      $0.app(recorded: "zero", holding: "zero")
    },
    .init("another value there: drift", steps: ["sync target.app K:changedThere (drift)"]) {
      $0.app(recorded: "one", holding: "theirs")
    },
    .init("nothing there: drift", steps: ["sync target.app K:missingThere (drift)"]) {
      $0.app(recorded: "one", holding: nil)
    },
    .init("the new value is there already", steps: ["sync target.app K:alreadyThere (manifest)"]) {
      $0.app(recorded: "zero", holding: "one")
    },
    .init("another key feeds the name", steps: ["sync target.app K:keyChanged (manifest)"]) {
      $0.app(recorded: "one", holding: "one")
      $0.settled("b", "other")
      $0.hold(["K": "one"])
      $0.target("app", [from("K", "b")])
    },
    .init("a name that left", steps: ["withdraw target.app -K (manifest)"]) {
      $0.app(recorded: "one", holding: "one")
      $0.target("app", [])
    },
    .init("a target that left", steps: ["withdraw target.app -K (manifest)"]) {
      $0.app(recorded: "one", holding: "one")
      $0.targets = [:]
    },
    .init(
      "a target that left, another value", steps: ["withdraw target.app ~K (manifest)"],
      faults: ["changedByOthers target.app.K"]
    ) {
      $0.app(recorded: "one", holding: "theirs")
      $0.targets = [:]
    },
    .init("a target that left, nothing there", steps: ["withdraw target.app ~K (manifest)"]) {
      $0.app(recorded: "one", holding: nil)
      $0.targets = [:]
    },
    .init("unreachable: no step", faults: ["targetUnreachable target.app"]) {
      $0.app(recorded: "zero", holding: nil)
      $0.observed.targets[place(".env")] = .unreachable(reason: "No.")
    },
    .init("unreadable: no step", faults: ["targetUnreadable target.app"]) {
      $0.app(recorded: "zero", holding: nil)
      $0.observed.targets[place(".env")] = .unreadable(reason: "No.")
    },
    .init("left and unreachable: no step", faults: ["targetUnreachable target.app"]) {
      $0.app(recorded: "one", holding: nil)
      $0.observed.targets[place(".env")] = .unreachable(reason: "No.")
      $0.targets = [:]
    },
    .init(
      "moved: the old place is cleared, the new one written",
      steps: [
        "withdraw target.app move -K (manifest)", "sync target.app K:new (manifest)",
      ]
    ) {
      $0.app(recorded: "one", holding: "one")
      $0.target("app", [from("K", "a")], at: place("new"))
      $0.hold([:], at: place("new"))
    },
    .init("moved, and the old place is out of reach: nothing moves", faults: ["targetUnreachable target.app"]) {
      $0.app(recorded: "one", holding: "one")
      $0.target("app", [from("K", "a")], at: place("new"))
      $0.hold([:], at: place("new"))
      $0.observed.targets[place(".env")] = .unreachable(reason: "No.")
    },
    .init("moved, and the new place is out of reach: nothing moves", faults: ["targetUnreachable target.app"]) {
      $0.app(recorded: "one", holding: "one")
      $0.target("app", [from("K", "a")], at: place("new"))
      $0.observed.targets[place("new")] = .unreachable(reason: "No.")
    },
    .init(
      "surface not allowed yet: planned by what is recorded",
      steps: [
        "allow surface.path /out (manifest)", "sync target.app K:notReadable (manifest)",
      ]
    ) {
      $0.app(recorded: nil, holding: nil)
      $0.target("app", [from("K", "a")], at: outside)
      $0.observed.targets[outside] = .notAllowed
    },
    .init(
      "renamed: the values pass over and stay",
      steps: [
        "sync target.app K:alreadyThere (manifest)", "withdraw target.old ~K (manifest)",
      ]
    ) {
      $0.app(recorded: nil, holding: "one")
      $0.recordTarget("old", ["K": ("a", "one")])
    },
    .init(
      "renamed while the key moved on: still ours",
      steps: [
        "sync target.app K:keyChanged (manifest)", "withdraw target.old -L ~K (manifest)",
      ]
    ) {
      $0.app(recorded: nil, holding: "zero")
      $0.hold(["K": "zero", "L": "zero"])
      $0.recordTarget("old", ["K": ("a", "zero"), "L": ("a", "zero")])
    },
    .init("a key without a value yet: its name is left alone", faults: ["sourceUnreachable key.b"]) {
      $0.app(recorded: "one", holding: "one")
      $0.declare("b")
      $0.find("b", .unreachable(index: 0, reason: "No."))
      $0.target("app", [from("K", "b")])
    },
    .init(
      "a retired key: withdrawn, and said", steps: ["withdraw target.app -K (manifest)"],
      faults: [
        "noUsableKey target.app"
      ]
    ) {
      $0.app(recorded: "one", holding: "one")
      $0.record("a", retired: true)
    },
  ]

  static let outside = place("/out", surface: ExternalAccess(.path, "/out"))

  @Test("every row gives its steps and its diagnostics", arguments: rows)
  func row(_ row: KeyTableTests.Row) {
    #expect(row.scene.steps() == row.steps)
    #expect(row.scene.faults() == row.faults)
  }

  @Test("--allow-overwrite lifts the guard")
  func overwrite() {
    var scene = Scene()
    scene.app(recorded: nil, holding: "theirs")
    #expect(scene.faults(Allowances(overwrite: true)) == [])
    #expect(scene.plan().diagnostics.map(\.code.reach) == [.everything])
  }

  @Test("one target that is taken is named, and the others are not")
  func several() {
    var scene = Scene()
    scene.app(recorded: nil, holding: "theirs")
    scene.target("other", [from("K", "a")], at: place("b"))
    scene.hold([:], at: place("b"))
    #expect(scene.faults() == Self.taken)
  }

  @Test("the new place waits for the old one, so that the record never loses sight of a value")
  func moveOrder() {
    var scene = Scene()
    scene.app(recorded: "one", holding: "one")
    scene.target("app", [from("K", "a")], at: place("new"))
    scene.hold([:], at: place("new"))
    #expect(after(scene.plan().plan.steps, .sync) == ["target.app"])
  }

  @Test("a target that hands its place over waits for the one that takes it")
  func renameOrder() {
    var scene = Scene()
    scene.app(recorded: nil, holding: "one")
    scene.recordTarget("old", ["K": ("a", "one")])
    #expect(after(scene.plan().plan.steps, .withdraw) == ["target.app", "target.old"])
  }

  @Test("two targets that swap places clear nothing that the other one wants")
  func swap() {
    var scene = Scene()
    scene.app(recorded: "one", holding: "one")
    scene.settled("b", "two")
    scene.target("app", [from("K", "a")], at: place("other"))
    scene.target("web", [from("K", "b")])
    scene.recordTarget("web", ["K": ("b", "two")], at: place("other"))
    scene.hold(["K": "one"])
    scene.hold(["K": "two"], at: place("other"))
    #expect(
      scene.steps() == [
        "withdraw target.app move ~K (manifest)", "withdraw target.web move ~K (manifest)",
        "sync target.app K:keyChanged (manifest)", "sync target.web K:keyChanged (manifest)",
      ])
    #expect(scene.faults() == [])
  }

  @Test("a value that is known at apply does not decide the take-over guard yet")
  func unknown() {
    var scene = Scene()
    scene.app(recorded: nil, holding: "one")
    scene.observed.recorded.keys = [:]
    scene.declare("a", [command("op")])
    scene.find("a", .notAllowed(index: 0))
    #expect(scene.faults() == [])
    #expect(scene.steps().last == "sync target.app K:takeOver (manifest)")
  }

  @Test("a number at a target is there: its ground differs from that of nothing")
  func number() throws {
    var scene = Scene()
    scene.app(recorded: nil, holding: nil)
    scene.observed.targets[place(".env")] = .entries(["K": FoundEntry([:])])
    let step = try #require(scene.plan(Allowances(overwrite: true)).plan.steps.last)
    #expect(step.ground.target?.keys.map(\.self) == ["K"])
  }

  @Test("syncs wait for the values, the slots and the surface they need")
  func waits() {
    var scene = Scene()
    scene.declare("a")
    scene.find("a", "one")
    scene.choose("s", ["a"])
    scene.target("app", [from(.variable, slot: "s")], at: Self.outside)
    scene.observed.targets[Self.outside] = .notAllowed
    #expect(after(scene.plan().plan.steps, .sync) == ["active.s", "key.a", "surface.path /out"])
  }

  @Test("`*` and names by provider follow the slot, and the other name is withdrawn")
  func followed() {
    for (name, old, new) in [
      (.variable, "A", "B"), (.byProvider(["openai": "O", "anthropic": "N"]), "O", "N"),
    ] as [(Target.Entry.Name, String, String)] {
      var scene = Scene()
      scene.settled("a")
      scene.declare("b", provider: "anthropic")
      scene.record("b", "two")
      scene.find("b", "two")
      scene.choose("s", ["b", "a"], recorded: "a")
      scene.target("app", [from(name, slot: "s")])
      scene.recordTarget("app", [old: ("a", "one")])
      scene.hold([old: "one"])
      #expect(
        scene.steps() == [
          "activate active.s a -> b (manifest)", "sync target.app \(new):new (manifest)",
          "withdraw target.app -\(old) (manifest)",
        ])
    }
  }

  @Test("a slot that cannot move on because a source is out of reach keeps what it feeds")
  func outage() {
    var scene = Scene()
    scene.settled("old")
    scene.declare("new")
    scene.find("new", .unreachable(index: 0, reason: "No."))
    scene.choose("s", ["new"], recorded: "old")
    scene.target("app", [from(.variable, slot: "s")])
    scene.recordTarget("app", ["OLD": ("old", "one")])
    scene.hold(["OLD": "one"])
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["noUsableKey active.s", "sourceUnreachable key.new"])
    scene.targets[named("app")] = Target(
      destination: place("elsewhere"), entries: [from(.variable, slot: "s")])
    scene.hold([:], at: place("elsewhere"))
    #expect(scene.steps() == [])
  }

  @Test(
    "a variable that is new at a target is named for review, unless it is a credential's",
    arguments: [
      (areVariables: true, names: ["FOO_HOOK", "lower_hook", "API_TOKEN", "A-B"], new: ["FOO_HOOK", "lower_hook"]),
      (areVariables: false, names: ["FOO_HOOK", "lower_hook", "API_TOKEN", "A-B"], new: ["FOO_HOOK"]),
      (areVariables: true, names: ["API_TOKEN", "DB_PASSWORD"], new: nil),
    ] as [(areVariables: Bool, names: [String], new: [String]?)])
  func newVariables(_ row: (areVariables: Bool, names: [String], new: [String]?)) throws {
    func writes(_ scene: Scene) -> [[String]?] {
      scene.plan().plan.steps.compactMap { step -> [String]?? in
        if case .outside(.sync(_, let write)) = step.effect { .some(write.newVariables) } else { nil }
      }
    }
    var scene = Scene()
    scene.settled("a")
    scene.target("app", row.names.map { from($0, "a") }, areNamesVariables: row.areVariables)
    scene.hold([:])
    #expect(writes(scene) == [row.new])
    // Not seen, it is as new.
    scene.observed.targets[place(".env")] = .notAskedHere
    #expect(writes(scene) == [row.new])
    scene.observed.targets[place(".env")] = .marks([:])
    #expect(writes(scene) == [row.new])
    // Somebody has put it there already: it is new to keyplan, and to what `run` sets.
    scene.hold(Dictionary(uniqueKeysWithValues: row.names.map { ($0, "one") }))
    #expect(writes(scene) == [row.new])
    // Once it is recorded there, a new value makes nothing new of it.
    scene.recordTarget("app", Dictionary(uniqueKeysWithValues: row.names.map { ($0, (key: "a", value: "one")) }))
    scene.hold(Dictionary(uniqueKeysWithValues: row.names.map { ($0, "changed") }))
    #expect(writes(scene) == [nil])
    // One that was withdrawn is new when it comes back.
    scene.recordTarget("app", [:])
    scene.hold([:])
    #expect(writes(scene) == [row.new])
  }
}

extension Scene {
  /// A key `a` with the value `one`, and a target `app` that names it `K`.
  fileprivate mutating func app(recorded: String?, holding: String?) {
    settled("a")
    target("app", [from("K", "a")])
    if let recorded { recordTarget("app", ["K": ("a", recorded)]) }
    hold(holding.map { ["K": $0] } ?? [:])
  }
}
