import KeyplanModel
import KeyplanPlanning
import Testing

@Suite struct ExpiryTests {
  static let states: [(limit: Expiry.Limit, at: Int64, state: Expiry.State)] = [
    (.after(.days(90)), 0, .fresh(until: now + .days(90))),
    (.after(.days(90)), 75, .fresh(until: now + .days(90))),
    (.after(.days(90)), 76, .soon(until: now + .days(90))),
    (.after(.days(90)), 89, .soon(until: now + .days(90))),
    (.after(.days(90)), 90, .over(since: now + .days(90))),
    (.on(now + .days(20)), 5, .fresh(until: now + .days(20))),
    (.on(now + .days(20)), 6, .soon(until: now + .days(20))),
    (.on(now + .days(20)), 20, .over(since: now + .days(20))),
  ]

  @Test("a key is fresh, then soon at its end, then over, to the second", arguments: states)
  func state(limit: Expiry.Limit, at days: Int64, state: Expiry.State) {
    let expiry = Expiry(limit, warn: .days(14), then: .warn)
    #expect(expiry.state(from: now, at: now + .days(days)) == state)
    if case .over(let end) = state {
      #expect(expiry.state(from: now, at: end - Interval(seconds: 1)) == .soon(until: end))
    }
  }

  static let ends: [(age: Int64, then: Expiry.Consequence, steps: [String], faults: [String])] = [
    (70, .warn, [], []),
    (80, .warn, [], ["expiresSoon key.a"]),
    (90, .warn, [], ["expired key.a"]),
    (80, .retire, [], ["expiresSoon key.a"]),
    (90, .retire, ["retire key.a (expiry)"], []),
  ]

  @Test("what happens at the end is what the policy says", arguments: ends)
  func consequence(age: Int64, then: Expiry.Consequence, steps: [String], faults: [String]) {
    var scene = Scene()
    scene.settled("a", expiry: Expiry(.after(.days(90)), warn: .days(14), then: then), stored: now - .days(age))
    #expect(scene.steps() == steps)
    #expect(scene.faults() == faults)
  }

  static let retiring = Expiry(.after(.days(90)), warn: .days(14), then: .retire)

  @Test("a key past its end is served until an apply retires it; only what is retired is not")
  func served() {
    var scene = Scene()
    scene.settled("a", expiry: Self.retiring, stored: now - .days(91))
    scene.settled("b", expiry: Expiry(.after(.days(90)), warn: .days(14), then: .warn), stored: now - .days(91))
    scene.settled("c", expiry: Self.retiring, stored: now - .days(90) + Interval(seconds: 1))
    scene.settled("d", expiry: Self.retiring)
    scene.record("d", retired: true)
    func serving(_ name: String) -> Serving? { scene.observed.recorded.keys[named(name)]?.serving(at: now) }
    #expect(serving("a") == .pastItsEnd(since: now - .days(1)))
    #expect(serving("b") == .asUsual)
    #expect(serving("c") == .asUsual)
    #expect(serving("d") == .retired(since: now - .days(1)))
  }

  @Test("age counts from when the key was issued, where the manifest says so")
  func issued() {
    var scene = Scene()
    scene.declare("a", expiry: Self.retiring, issued: now - .days(90))
    scene.record("a")
    scene.find("a", "one")
    #expect(scene.steps() == ["retire key.a (expiry)"])
    scene.declare("a", expiry: Self.retiring, issued: now - .days(3))
    scene.record("a", stored: now - .days(300))
    #expect(scene.steps() == [])
  }

  @Test("the last usable key of a slot or of a target is kept, until a person says otherwise")
  func lastKey() {
    var slot = Scene()
    slot.settled("a", expiry: Self.retiring, stored: now - .days(91))
    var target = slot
    slot.choose("s", ["a"], recorded: "a")
    slot.target("app", [from(.variable, slot: "s")])
    target.target("app", [from("A", "a")])
    for var scene in [slot, target] {
      scene.recordTarget("app", ["A": ("a", "one")])
      scene.hold(["A": "one"])
      #expect(scene.steps() == [])
      #expect(scene.faults() == ["lastKeyKept key.a"])
      #expect(
        scene.steps(Allowances(retire: true)) == [
          "withdraw target.app -A (manifest)", "retire key.a (expiry)",
        ])
    }
  }

  @Test("the last key of a slot is kept even where its target already has nothing else to fall back on")
  func allOver() {
    var scene = Scene()
    scene.settled("a", expiry: Self.retiring, stored: now - .days(91))
    scene.settled("b", expiry: Self.retiring, stored: now - .days(91))
    scene.choose("s", ["a", "b"], recorded: "b")
    #expect(scene.steps() == ["retire key.a (expiry)"])
    #expect(scene.faults() == ["lastKeyKept key.b"])
  }

  @Test("a new value starts a new age")
  func renewed() {
    var scene = Scene()
    scene.settled("a", expiry: Self.retiring, stored: now - .days(91))
    scene.find("a", "two")
    #expect(scene.steps() == ["replace key.a (sourceChanged)"])
    #expect(scene.faults() == [])
  }

  @Test("what is past its end when it comes in is not taken in only to be retired: it is told")
  func pastItsEnd() {
    var new = Scene()
    new.declare("a", expiry: Self.retiring, issued: now - .days(91))
    new.find("a", "one")
    #expect(new.steps() == [] && new.faults() == ["pastItsEnd key.a"])
    new.choose("s", ["a"])
    #expect(new.steps() == [] && new.faults() == ["noUsableKey active.s", "pastItsEnd key.a"])
    #expect(new.steps(Allowances(retire: true)) == [])

    var given = Scene()
    given.declare("a", [], expiry: Expiry(.on(now - .days(1)), warn: .days(1), then: .retire))
    given.find("a", .given(print("one", of: "a"), looksRight: true))
    #expect(given.steps() == [] && given.faults() == ["pastItsEnd key.a"])

    var adopted = Scene()
    adopted.adopt("a", from: ".env", "A", isRemoved: true)
    adopted.declare("a", [], expiry: Self.retiring, issued: now - .days(91))
    adopted.original("a", "one")
    #expect(adopted.steps() == [] && adopted.faults() == ["pastItsEnd key.a"])
  }

  @Test("a new value that is declared with an old date is not taken in; the recorded one comes to its end, once")
  func staleDate() {
    var scene = Scene()
    let before = Scene.facts("a", [remote("a")], expiry: Self.retiring, issued: now - .days(91))
    scene.declare("a", expiry: Self.retiring, issued: now - .days(90))
    scene.record("a", facts: before)
    scene.find("a", "two")
    #expect(scene.steps() == ["retire key.a (expiry)"] && scene.faults() == ["pastItsEnd key.a"])
    let drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(Set(drift.findings.map(\.kind)) == [.sourceChanged] && drift.diagnostics.isEmpty)
    scene.record("a", facts: before, retired: true)
    #expect(scene.steps() == [] && scene.faults() == ["pastItsEnd key.a"])
  }

  @Test("a value that a target needs is taken in past its end too, and told")
  func needed() {
    var scene = Scene()
    scene.declare("a", expiry: Self.retiring, issued: now - .days(91))
    scene.find("a", "one")
    scene.target("app", [from("A", "a")])
    scene.hold([:])
    #expect(scene.steps() == ["store key.a (manifest)", "sync target.app A:new (manifest)"])
    #expect(scene.faults() == ["lastKeyKept key.a"])
  }

  @Test("a retired key is not retired again")
  func once() {
    var scene = Scene()
    scene.settled("a", expiry: Self.retiring, stored: now - .days(91))
    scene.record("a", stored: now - .days(91), retired: true)
    #expect(scene.steps() == [])
  }
}
