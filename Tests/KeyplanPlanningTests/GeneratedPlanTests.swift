import KeyplanModel
import KeyplanPlanning
import Testing

/// Keys whose values keyplan generates: declared × recorded, and what a person asks for.
@Suite struct GeneratedPlanTests {
  private let rotation = Expiry(.after(.days(90)), warn: .days(0), then: .rotate)

  private func effect(_ scene: Scene, at moment: Moment = now) -> KeyEffect? {
    for case .store(.key(named("a"), let effect)) in scene.plan(at: moment).plan.steps.map(\.effect) { return effect }
    return nil
  }

  @Test("a value is generated where there is none, and the plan says how and not what") func first() throws {
    var scene = Scene()
    scene.declareGenerated("a")
    scene.target("app", [.init(.fixed("A"), from: .key(named("a")))])
    scene.hold([:])
    #expect(scene.steps() == ["store key.a (manifest)", "sync target.app A:new (manifest)"])
    let value = try #require(GeneratedValue(.hex))
    let facts = try #require(scene.keys[named("a")]).facts
    #expect(effect(scene) == .store(KeyWrite(facts, .generated(value))))
    #expect(scene.plan().plan.steps.first?.ground == Precondition())
    #expect(scene.plan().plan == scene.plan().plan)
  }

  @Test("a recorded value stays, whatever the form is now") func otherForm() {
    var scene = Scene()
    scene.declareGenerated("a")
    scene.record("a")
    #expect(scene.steps() == [])
    scene.declareGenerated("a", GeneratedValue(.base64url, bytes: 64))
    #expect(scene.steps() == ["update key.a (manifest)"])
    #expect(Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings == [])
  }

  @Test("a value from a source stays when its key is to be generated, before and after an apply, however old it is")
  func otherKind() {
    var scene = Scene()
    scene.declareGenerated("a", expiry: rotation)
    scene.record("a", stored: now - .days(400), facts: Scene.facts("a", [remote("a")]))
    #expect(scene.steps() == ["update key.a (manifest)"])
    #expect(scene.faults() == ["expired key.a"])
    // The apply has recorded the new facts; the value is still the one from the source.
    var record = scene.observed.recorded.keys[named("a")]
    record?.facts = scene.keys[named("a")]?.facts ?? Scene.facts("a")
    scene.observed.recorded.keys[named("a")] = record
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["expired key.a"])
    #expect(scene.plan().diagnostics.first?.issue == .key(named("a"), .rotationHeld(expiredOn: now - .days(310))))
  }

  @Test("a generated value is replaced at its end, and written to targets with it") func due() {
    var scene = Scene()
    scene.declareGenerated("a", expiry: rotation)
    scene.record("a", stored: now - .days(90))
    scene.target("app", [.init(.fixed("A"), from: .key(named("a")))])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    #expect(scene.steps() == ["replace key.a (expiry)", "sync target.app A:keyChanged (follows)"])
    #expect(scene.faults() == [])
    #expect(scene.plan(at: now - .days(1)).plan.isEmpty)
    #expect(scene.plan(at: now - .days(1)).diagnostics == [])
    let sync = scene.plan().plan.steps.last
    #expect(sync?.after == [.key(named("a"))])
  }

  @Test("drift reports a rotation that is due, and how it is carried out") func drift() throws {
    var scene = Scene()
    scene.declareGenerated("a", expiry: rotation)
    scene.record("a", stored: now - .days(91))
    let findings = Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect(finding.fact == .rotationDue && finding.kind == .expired)
    #expect(finding.since == now - .days(1))
    #expect(finding.renewal?.key == named("a") && finding.renewal?.renewal.way == .generated)
  }

  @Test("what a person asks for is generated, for a key of any age, revoked or retired or without a source")
  func wanted() throws {
    let value = try #require(GeneratedValue(.base64url, bytes: 24))
    var scene = Scene()
    scene.declare("a", [])
    scene.find("a", .wanted(value))
    #expect(scene.steps() == ["store key.a (byHand)"])
    scene.record("a", retired: true)
    scene.choose("s", ["a"], recorded: "a")
    #expect(scene.steps() == ["replace key.a (byHand)"])
    #expect(scene.faults() == [])
    let facts = try #require(scene.keys[named("a")]).facts
    #expect(effect(scene) == .replace(KeyWrite(facts, .generated(value))))
  }

  @Test("somebody else's value at a target is not overwritten by a generated one without leave") func taken() {
    var scene = Scene()
    scene.declareGenerated("a")
    scene.target("app", [.init(.fixed("A"), from: .key(named("a")))])
    scene.hold(["A": "somebody else's"])
    #expect(scene.faults() == ["targetTaken target.app"])
  }

  @Test("diagnostics of a generated key say that keyplan makes the next value") func hints() throws {
    var scene = Scene()
    scene.declareGenerated("a", expiry: Expiry(.after(.days(90)), warn: .days(14), then: .warn))
    scene.record("a", stored: now - .days(99))
    scene.settled("b", expiry: Expiry(.after(.days(90)), warn: .days(14), then: .warn), stored: now - .days(99))
    let marked = scene.plan().diagnostics.filter { $0.code == .expired }
    #expect(Set(marked.map { $0.renewal?.way }) == [.generated, .source])
    #expect(marked.first { $0.renewal?.way == .generated }?.address == .key(named("a")))
  }

  @Test("a form has 16 to 1024 bytes, and a UUID none; its canonical text is no reference's") func bounds() {
    for count in [15, 1025, 0, -1] { #expect(GeneratedValue(.hex, bytes: count) == nil) }
    for count in [16, 1024] { #expect(GeneratedValue(.base64url, bytes: count)?.bytes == count) }
    #expect(GeneratedValue(.uuid, bytes: 16) == nil)
    #expect(GeneratedValue.form(in: "generate: hex, 32 bytes") == "hex, 32 bytes")
    for reference in [remote("generate: x"), command("generate: x"), inFile("generate: x", nil)] {
      #expect(GeneratedValue.form(in: reference.description) == nil)
    }
  }
}
