import KeyplanModel
import KeyplanPlanning
import Testing

@Suite struct DriftTests {
  private func drift(_ scene: Scene) -> [Finding] {
    Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
  }

  @Test("nothing changed: nothing found")
  func nothing() {
    var scene = Scene()
    scene.settled("a")
    #expect(drift(scene) == [])
  }

  @Test("a command that did not succeed after a write is found until it does, as long as it is declared")
  func dueCommands() {
    var scene = Scene()
    scene.settled("a")
    let hook = Reference(scheme: "command", arguments: ["reload"], isLocal: true)
    scene.observed.recorded.dueHooks = [named("app"): now - .days(1)]
    scene.target("app", [from("A", "a")], hook: hook)
    let findings = drift(scene)
    #expect(findings.map(\.fact) == [.commandDue(TargetHook(hook))])
    #expect(findings.map(\.since) == [now - .days(1)])
    scene.target("app", [from("A", "a")])
    #expect(drift(scene) == [])
  }

  @Test("what changed at targets is broken, and was last seen when it was synced; the most urgent stands first")
  func targets() {
    var scene = Scene()
    scene.settled("a")
    scene.settled("b")
    scene.find("b", "two")
    scene.target("app", [from("A", "a"), from("B", "b"), from("C", "a")])
    scene.recordTarget("app", ["A": ("a", "one"), "B": ("b", "one"), "C": ("a", "one")])
    scene.hold(["A": "one", "B": "theirs"])
    let findings = drift(scene)
    #expect(findings.map(\.kind) == [.targetChanged, .targetMissing, .sourceChanged])
    #expect(findings.map(\.level) == [.broken, .broken, .pending])
    #expect(findings.map(\.address.description) == ["target.app.B", "target.app.C", "key.b"])
    #expect(findings.map(\.since) == [now - .days(2), now - .days(2), now - .days(1)])
  }

  @Test("a source that lost its value, one that still gives the rejected one, and an interrupted step are pending")
  func pending() {
    var scene = Scene()
    scene.settled("a")
    scene.find("a", .missing)
    scene.settled("b")
    scene.record("b", rejected: "two")
    scene.find("b", "two")
    scene.observed.recorded.interrupted = [.target(named("app")): now - .days(3)]
    let findings = drift(scene)
    #expect(findings.map(\.kind) == [.sourceMissing, .valueRejected, .interrupted])
    #expect(findings.allSatisfy { $0.level == .pending })
    #expect(findings.last?.since == now - .days(3))
  }

  static let ages: [(age: Int64, then: Expiry.Consequence, kind: Finding.Kind?, level: Finding.Level?)] = [
    (1, .warn, nil, nil), (80, .warn, .expiresSoon, .soon), (91, .warn, .expired, .pending),
    (91, .retire, .expired, .pending),
  ]

  @Test("ends are found by how near they are", arguments: ages)
  func ends(age: Int64, then: Expiry.Consequence, kind: Finding.Kind?, level: Finding.Level?) {
    var scene = Scene()
    scene.settled("a", expiry: Expiry(.after(.days(90)), warn: .days(14), then: then), stored: now - .days(age))
    #expect(drift(scene).map(\.kind) == [kind].compactMap(\.self))
    #expect(drift(scene).map(\.level) == [level].compactMap(\.self))
  }

  @Test("the last usable key past its end is a finding")
  func lastKey() {
    var scene = Scene()
    scene.settled("a", expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire), stored: now - .days(91))
    scene.choose("s", ["a"], recorded: "a")
    #expect(drift(scene).map(\.kind) == [.lastKeyKept])
  }

  @Test("a slot whose only key was retired is broken since then; one that can fall back is not")
  func retired() {
    var scene = Scene()
    for name in ["a", "b"] {
      scene.settled(name)
      scene.record(name, stored: now - .days(3), retired: true)
    }
    scene.settled("spare")
    scene.choose("s", ["a"], recorded: "a")
    scene.choose("t", ["b", "spare"], recorded: "b")
    let findings = drift(scene)
    #expect(findings.map(\.kind) == [.slotWithoutKey])
    #expect(findings.map(\.address.description) == ["active.s"])
    #expect(findings.map(\.level) == [.broken])
    #expect(findings.map(\.since) == [now - .days(3)])
  }

  @Test("what prevents a write that is due is reported as by plan; what prevents none is not")
  func obstacles() {
    var scene = Scene()
    scene.settled("a")
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    scene.hinder()
    func drift() -> Drift { Finding.drift(of: scene.manifest, in: scene.observed, at: now) }
    #expect(drift().diagnostics == [] && drift().left.isWhole, "nothing is to be written")
    scene.hold([:])
    #expect(drift().findings.map(\.kind) == [.targetMissing])
    #expect(drift().diagnostics == scene.plan().diagnostics && drift().diagnostics.map(\.code) == [.targetUnreadable])
    scene.hinder(isOnlyHere: true)
    #expect(drift().diagnostics.map(\.code) == [.targetNotWritable])
    // One name that cannot be set, at a target that was never written.
    scene.observed.recorded.targets = [:]
    scene.observed.writeBlockers[place(".env")] = WriteBlockers(setting: ["A": WriteBlocker(reason: "\"A\" is a list.")]
    )
    #expect(drift().diagnostics == scene.plan().diagnostics && drift().diagnostics.map(\.code) == [.targetNameUnusable])
    #expect(drift().left.isBlocked && !drift().left.isWhole)
  }

  @Test("changes of the manifest are never drift")
  func manifest() {
    var scene = Scene()
    let over = Expiry(.after(.days(1)), warn: .days(1), then: .retire)
    scene.declare("new")
    scene.find("new", "one")
    for (name, expiry, issued) in [
      ("policy", over, nil), ("issued", Expiry(.after(.days(90)), warn: .days(1), then: .warn), now - .days(100)),
    ] as [(String, Expiry, Moment?)] {
      scene.declare(name, expiry: expiry)
      scene.record(name, stored: now - .days(9), facts: issued == nil ? Scene.facts(name, [remote(name)]) : nil)
      scene.declare(name, expiry: expiry, issued: issued)
      scene.find(name, "one")
    }
    scene.settled("moved")
    scene.declare("moved", [remote("elsewhere")])
    scene.find("moved", "two")
    scene.settled("lost")
    scene.declare("lost", [remote("elsewhere")])
    scene.find("lost", .missing)
    scene.record("gone")
    scene.target("app", [from("K", "moved")])
    scene.hold([:])
    #expect(scene.plan().plan.steps.count > 4)
    #expect(drift(scene) == [])
  }

  @Test("what could not be asked is told beside the findings")
  func unreachable() {
    var scene = Scene()
    scene.settled("a")
    scene.find("a", .unreachable(index: 0, reason: "No."))
    let drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    let (findings, diagnostics) = (drift.findings, drift.diagnostics)
    #expect(findings == [])
    #expect(diagnostics.map(\.code) == [.sourceUnreachable])
  }

  @Test("findings of one level stand in the order of their dates, before those without a date, and then by name")
  func dates() {
    var scene = Scene()
    // 10, 5 and 1 days are left.
    for (name, age) in [("a", 80), ("b", 85), ("c", 89)] {
      scene.declare(name, expiry: Expiry(.after(.days(90)), warn: .days(14), then: .warn))
      scene.record(name, stored: now - .days(Int64(age)))
    }
    #expect(
      Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings.map { "\($0.address)" } == [
        "key.c", "key.b", "key.a",
      ])
    let dated = Finding(.expiresSoon(.after(.days(90)), on: now), at: .key(named("z")), level: .soon, since: nil)
    let undated = Finding(.interrupted, at: .key(named("a")), level: .soon, since: nil)
    let urgent = Finding(.interrupted, at: .key(named("z")), level: .broken, since: nil)
    #expect([undated, dated, urgent].sorted() == [urgent, dated, undated])
  }
}
