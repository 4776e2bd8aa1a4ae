import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

/// Keys that are made at their provider: declared × recorded, and when the ones that they replace end.
@Suite struct MintPlanTests {
  private static let backend = BackendDescription(
    "memory-keys", connection: ConnectionGrammar([]),
    issuer: IssuerGrammar(fields: [], parts: ["key"], canDisable: true))
  private static let place = Destination(type: "issuer", location: "")

  private func rotation(_ overlap: Interval? = Interval(seconds: 0)) -> Expiry {
    Expiry(.after(.days(90)), warn: .days(0), then: .rotate, overlap: overlap)
  }

  private func issued(_ id: String, version: Int64, at moment: Moment, expires: Moment? = nil) -> IssuedKey {
    IssuedKey(id: id, label: "label \(id)", place: Self.place, version: version, mintedAt: moment, expires: expires)
  }

  /// "a" is made at "issuer", and written to "app".
  private func scene(expiry: Expiry? = nil, manual: ManualMint? = nil, hasConnection: Bool = true) -> Scene {
    var scene = Scene()
    let name: Identifier<Connection> = named("issuer")
    scene.connections = hasConnection ? [name: Connection(name, to: Self.backend)] : [:]
    let minting = Minting(named("a"), [.init("key", named("a"))], at: Self.place, manual: manual)
    let facts = KeyFacts(provider: "openai", variable: "A", expiry: expiry, sources: [minting.description])
    scene.keys[named("a")] = Key(facts: facts, sources: [], minting: minting)
    scene.target("app", [from("A", "a")])
    scene.hold([:])
    return scene
  }

  /// The same with a recorded value, which was made.
  private func recorded(expiry: Expiry?, stored: Moment = now - .days(1), value: String = "one") -> Scene {
    var scene = scene(expiry: expiry)
    scene.record("a", value, stored: stored)
    scene.observed.recorded.keys[named("a")]?.issued = [issued("id-1", version: 1, at: stored)]
    scene.recordTarget("app", ["A": ("a", value)])
    scene.hold(["A": value])
    return scene
  }

  @Test("a key is made where there is none, then recorded, then written; nothing was asked") func first() {
    let scene = scene()
    #expect(
      scene.steps() == [
        "mint key.a at issuer (manifest)", "store key.a (manifest)", "sync target.app A:new (manifest)",
      ])
    #expect(after(scene.plan().plan.steps, .store) == ["key.a"])
    #expect(after(scene.plan().plan.steps, .sync) == ["key.a"])
    #expect(scene.faults() == [])
  }

  @Test(
    "it stays until its policy ends, and the next one replaces it; the old one ends when all targets have the new one")
  func due() {
    let fresh = recorded(expiry: rotation())
    #expect(fresh.steps() == [] && fresh.faults() == [])
    let scene = recorded(expiry: rotation(), stored: now - .days(90))
    #expect(
      scene.steps() == [
        "mint key.a at issuer (expiry)", "replace key.a (expiry)", "sync target.app A:keyChanged (follows)",
        "disableIssued key.a id-1 (follows)", "revokeIssued key.a id-1 (follows)",
      ])
    #expect(after(scene.plan().plan.steps, .revokeIssued) == ["key.a", "target.app"])
    #expect(Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings.map(\.fact) == [.rotationDue])
  }

  @Test("one that its provider no longer has is replaced, and gets no overlap") func ended() {
    var scene = recorded(expiry: rotation(.days(1)))
    for finding in [LeaseFinding.valid, .unknown] {
      scene.observed.leases = [named("a"): finding]
      #expect(scene.steps() == [] && scene.faults() == [])
    }
    scene.observed.leases = [named("a"): .ended]
    #expect(
      scene.steps() == [
        "mint key.a at issuer (check)", "replace key.a (check)", "sync target.app A:keyChanged (follows)",
        "disableIssued key.a id-1 (follows)", "revokeIssued key.a id-1 (follows)",
      ])
    #expect(scene.faults() == ["keyInvalid key.a"])
    let drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(drift.findings.map(\.fact) == [.leaseEnded(at: "issuer")] && drift.findings.map(\.level) == [.broken])
    // A running apply may have replaced it by now.
    scene.observed.running = now
    #expect(Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings == [])
  }

  @Test("with an overlap, the plan that replaces a key does not end it, and says until when it stays valid")
  func overlap() {
    for (overlap, wait) in [(Interval(seconds: 3600), Interval(seconds: 3600)), (nil, .days(1))]
      as [(Interval?, Interval)]
    {
      let scene = recorded(expiry: rotation(overlap), stored: now - .days(90))
      #expect(scene.steps().count == 3)
      #expect(
        scene.plan().diagnostics.map(\.issue) == [.key(named("a"), .replacedKeyWaits(["id-1"], until: now + wait))])
    }
  }

  /// "one" was replaced by "two" a day ago, and the target has got it two hours later.
  private func replaced(_ overlap: Interval?, heldThere: String = "two") -> Scene {
    var scene = recorded(expiry: rotation(overlap), value: "two")
    scene.record("a", "two", history: ["one"], stored: now - .days(1))
    scene.observed.recorded.keys[named("a")]?.issued = [
      issued("id-1", version: 1, at: now - .days(90)), issued("id-2", version: 2, at: now - .days(1)),
    ]
    scene.observed.recorded.targets[named("app")]?.entries["A"] = TargetRecord.Entry(
      key: named("a"), fingerprint: print(heldThere, of: "a"), syncedAt: now - .days(1) + Interval(seconds: 7200))
    scene.hold(["A": heldThere])
    return scene
  }

  @Test("it ends by a later plan, the overlap after the last target has got the new one") func later() {
    let scene = replaced(Interval(seconds: 3600))
    #expect(scene.steps() == ["disableIssued key.a id-1 (follows)", "revokeIssued key.a id-1 (follows)"])
    let end = now - .days(1) + Interval(seconds: 7200 + 3600)
    #expect(scene.steps(at: end) == scene.steps())
    #expect(scene.steps(at: end - Interval(seconds: 1)) == [])
    #expect(scene.faults(at: end - Interval(seconds: 1)) == ["replacedKeyKept key.a"])
  }

  @Test("one that is disabled already is only revoked") func disabled() {
    var scene = replaced(Interval(seconds: 0))
    scene.observed.recorded.keys[named("a")]?.issued[0].disabledAt = now
    #expect(scene.steps() == ["revokeIssued key.a id-1 (follows)"])
  }

  @Test("none ends while a target has its value and cannot be written") func inUse() {
    var scene = replaced(Interval(seconds: 0), heldThere: "one")
    #expect(
      scene.steps() == [
        "sync target.app A:keyChanged (manifest)", "disableIssued key.a id-1 (follows)",
        "revokeIssued key.a id-1 (follows)",
      ])
    #expect(after(scene.plan().plan.steps, .revokeIssued) == ["key.a", "target.app"])
    scene.observed.targets[Destination(type: "dotenv", location: ".env")] = .unreachable(reason: "It is off.")
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["targetUnreachable target.app", "replacedKeyKept key.a"])
  }

  @Test("a leaked value is replaced at once, and its key ends without an overlap") func leaked() {
    var scene = recorded(expiry: rotation(.days(7)))
    let print = print("one", of: "a")
    scene.observed.recorded.keys[named("a")]?.revoked = [Revocation(fingerprint: print, version: 1, at: now)]
    #expect(
      scene.steps() == [
        "mint key.a at issuer (revocation)", "replace key.a (revocation)", "sync target.app A:keyChanged (follows)",
        "disableIssued key.a id-1 (follows)", "revokeIssued key.a id-1 (follows)",
      ])
    #expect(scene.faults() == [])
  }

  @Test("a value that its provider rejects is replaced") func rejected() {
    var scene = recorded(expiry: nil)
    scene.observed.recorded.keys[named("a")]?.version.check = KeyCheck(.invalid, at: now)
    #expect(scene.steps().prefix(2) == ["mint key.a at issuer (check)", "replace key.a (check)"])
  }

  @Test("one that the provider ends by itself is replaced while a third of its time is left") func ending() {
    var scene = recorded(expiry: rotation(), stored: now - .days(20))
    scene.observed.recorded.keys[named("a")]?.issued = [
      issued("id-1", version: 1, at: now - .days(20), expires: now + .days(10))
    ]
    #expect(scene.steps().first == "mint key.a at issuer (expiry)")
    #expect(scene.steps(at: now - Interval(seconds: 1)) == [])
    // Its source says how to get another one, with or without a policy.
    let key = scene.keys[named("a")]
    scene.keys[named("a")] = key.map { Key(facts: Scene.facts("a"), sources: [], minting: $0.minting) }
    #expect(scene.steps().first == "mint key.a at issuer (expiry)")
  }

  @Test("one whose end can be put off is renewed as long as that gives it its time back, and then replaced")
  func renewing() throws {
    let backend = BackendDescription(
      "lease-keys", connection: ConnectionGrammar([]), issuer: IssuerGrammar(fields: [], parts: ["key"], canRenew: true)
    )
    var scene = recorded(expiry: rotation(.days(400)), stored: now - .days(20))
    scene.connections = [named("issuer"): Connection(named("issuer"), to: backend)]
    let lease = issued("id-1", version: 1, at: now - .days(20), expires: now + .days(10))
    scene.observed.recorded.keys[named("a")]?.issued = [lease]
    #expect(scene.steps() == ["renew key.a id-1 (expiry)"])
    #expect(scene.steps(at: now - Interval(seconds: 1)) == [])
    // What has ended cannot be renewed.
    #expect(scene.steps(at: now + .days(10)).first == "mint key.a at issuer (expiry)")
    let renewed = lease.renewed(until: now + .days(30), at: now)
    scene.observed.recorded.keys[named("a")]?.issued = [renewed]
    #expect(scene.steps() == [] && !renewed.isEnding)
    #expect(scene.steps(at: now + .days(20)) == ["renew key.a id-1 (expiry)"])
    let last = renewed.renewed(until: now + .days(30), at: now + .days(20))
    scene.observed.recorded.keys[named("a")]?.issued = [last]
    #expect(last.isEnding && scene.steps(at: now + .days(21)) == [])
    #expect(scene.steps(at: now + .days(27)).first == "mint key.a at issuer (expiry)")
  }

  @Test("a value from elsewhere is kept until a person asks for another one, and is not revoked") func switched() {
    var scene = scene(expiry: rotation())
    scene.record("a", stored: now - .days(400), facts: Scene.facts("a", [remote("a")]))
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    #expect(scene.steps() == ["update key.a (manifest)"])
    #expect(scene.faults() == ["expired key.a"])
    scene.find("a", .wanted(nil))
    #expect(
      scene.steps() == [
        "mint key.a at issuer (byHand)", "replace key.a (byHand)", "sync target.app A:keyChanged (follows)",
      ])
  }

  @Test("a key that was made and is not used yet is used, and none is made") func pending() {
    var scene = recorded(expiry: rotation(.days(1)))
    scene.observed.recorded.keys[named("a")]?.pending = KeyVersion(
      number: 2, fingerprint: print("two", of: "a"), storedAt: now, origin: nil)
    scene.observed.recorded.keys[named("a")]?.issued.append(issued("id-2", version: 2, at: now))
    #expect(scene.steps() == ["replace key.a (interrupted)", "sync target.app A:keyChanged (follows)"])
    scene.find("a", .wanted(nil))
    #expect(scene.steps().first == "mint key.a at issuer (byHand)")
    // Nobody has used it: it needs no overlap.
    #expect(scene.steps().last == "revokeIssued key.a id-2 (follows)")
    #expect(scene.faults() == ["replacedKeyKept key.a"])
  }

  @Test("a request whose answer was lost is made again, and what it left behind is not forgotten") func interrupted() {
    var scene = recorded(expiry: rotation())
    scene.observed.recorded.mints[named("a")] = MintAttempt(
      place: Self.place, label: "keyplan/x/a/3", began: Moment(seconds: 1))
    #expect(scene.steps().first == "mint key.a at issuer (interrupted)")
    scene.declare("a", [])
    #expect(scene.faults() == ["mintLost key.a"])
  }

  @Test("a key that only a person can make is asked for, and its value stays until then") func manual() {
    let manual = ManualMint(page: "https://example.org/keys", steps: "Create a key.")
    var scene = scene(expiry: rotation(), manual: manual)
    #expect(scene.steps() == ["issue key.a https://example.org/keys (manifest)"])
    scene.record("a", stored: now - .days(91))
    scene.observed.recorded.keys[named("a")]?.issued = [issued("id-1", version: 1, at: now - .days(91))]
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    #expect(scene.steps() == ["issue key.a https://example.org/keys (expiry)"])
    scene.find("a", .given(print("two", of: "a"), looksRight: true))
    #expect(
      scene.steps() == [
        "replace key.a (byHand)", "sync target.app A:keyChanged (follows)", "disableIssued key.a id-1 (follows)",
        "revokeIssued key.a id-1 (follows)",
      ])
  }

  @Test("keys that appeared are named by plans until the next apply, and by nothing else") func unexplained() {
    var scene = recorded(expiry: rotation())
    let attempt = MintAttempt(place: Self.place, label: "keyplan/x/a/3", began: now - .days(1))
    scene.observed.recorded.mints[named("a")] = attempt.settled(naming: ["id-7"])
    #expect(scene.steps() == ["settle key.a (interrupted)"])
    #expect(scene.faults() == ["mintLost key.a"])
    #expect(Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings == [])
    #expect(attempt.settled(naming: []) == nil)
  }

  @Test("drift reports an open request, a key to be revoked, and one to be renewed") func drift() {
    func findings(_ scene: Scene) -> [FindingFact] {
      Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings.map(\.fact)
    }
    var scene = recorded(expiry: rotation())
    #expect(findings(scene) == [])
    let attempt = MintAttempt(place: Self.place, label: "keyplan/x/a/3", began: now - .days(1))
    scene.observed.recorded.mints[named("a")] = attempt
    #expect(findings(scene) == [.mintLost(attempt)])

    scene = recorded(expiry: rotation(.days(7)), stored: now - .days(1))
    scene.observed.recorded.keys[named("a")]?.issued.append(issued("id-0", version: 0, at: now - .days(9)))
    #expect(findings(scene) == [])
    scene = recorded(expiry: rotation())
    scene.observed.recorded.keys[named("a")]?.issued.append(issued("id-0", version: 0, at: now - .days(9)))
    #expect(findings(scene) == [.replacedKeyValid(IssuedKeys(keys: [.init(place: Self.place, id: "id-0")]))])
    // The current one is not replaced yet.
    #expect(findings(recorded(expiry: rotation(), stored: now - .days(91))) == [.rotationDue])
    // What a key leaves at a target that nothing declares waits for an apply, too.
    scene.keys[named("a")] = nil
    scene.targets = [:]
    #expect(findings(scene) == [.valueLeft(Destination(type: "dotenv", location: ".env"), .undeclared, isSeen: true)])
  }

  @Test("a key that only a person can make is reported at its end, and expects no id for that") func overdue() {
    let manual = ManualMint(page: "https://example.org/keys", steps: "Create a key.")
    var scene = scene(expiry: rotation(), manual: manual)
    scene.record("a", stored: now - .days(91))
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    #expect(scene.steps() == ["issue key.a https://example.org/keys (expiry)"])
    #expect(
      Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings.map(\.fact) == [
        .expired(on: now - .days(1))
      ])
  }

  @Test("no key ends while the step that writes its successor is left out of the plan") func limited() {
    let manual = ManualMint(page: "https://example.org/keys", steps: "Create a key.")
    var scene = scene(expiry: rotation(), manual: manual)
    scene.record("a", stored: now - .days(1))
    scene.observed.recorded.keys[named("a")]?.issued = [issued("id-1", version: 1, at: now - .days(1))]
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    scene.find("a", .given(print("two", of: "a"), looksRight: true))
    let plan = scene.plan().plan
    #expect(plan.steps.count == 4)
    #expect(plan.limited { $0 == .key(named("a")) }.steps.map(\.effect.action) == [.replace])
    #expect(plan.limited { _ in true }.steps.count == 4)
  }

  @Test("a value that a person gives is recorded with the id of its key, and with no other") func givenId() {
    var scene = scene(expiry: rotation(), manual: ManualMint(page: "https://example.org/keys", steps: "Create a key."))
    let key = IssuedKeys.Key(place: Self.place, id: "id-2")
    scene.observed.issued = [named("a"): key]
    scene.find("a", .given(print("one", of: "a"), looksRight: true))
    let write = scene.plan().plan.steps.lazy.compactMap { step in
      if case .store(.key(_, .store(let write))) = step.effect { write } else { nil }
    }.first
    #expect(write?.issued == key)

    scene.record("a", stored: now - .days(1))
    #expect(scene.steps().first == "update key.a (byHand)")
    let record = scene.observed.recorded.keys[named("a")]?.issued(as: key)
    #expect(record?.issuedKey?.id == "id-2" && record?.issued.count == 1)
    // Recorded already, so that nothing is left to do.
    scene.observed.recorded.keys[named("a")] = record
    #expect(!scene.steps().contains { $0.hasPrefix("update key.a") })
    // The same key with a next value: it is not the replaced one.
    var next = record
    next?.issued = [issued("id-2", version: 0, at: now)]
    #expect(next?.issued(as: key).issued.map(\.version) == [1])
    // What keyplan has made keeps its label.
    next?.issued = [issued("id-1", version: 1, at: now)]
    #expect(next?.issued(as: key) == next)
  }

  @Test("with its key a key leaves its provider, after the targets and before the record") func leaving() {
    var scene = recorded(expiry: rotation(.days(7)))
    scene.settled("b")
    scene.keys[named("a")] = nil
    scene.targets = [:]
    #expect(
      scene.steps(Allowances(forget: true)) == [
        "withdraw target.app -A (manifest)", "disableIssued key.a id-1 (manifest)",
        "revokeIssued key.a id-1 (manifest)",
        "forget key.a (manifest)",
      ])
    #expect(after(scene.plan(Allowances(forget: true)).plan.steps, .forget).contains("key.a"))
    scene.connections = [:]
    #expect(scene.steps(Allowances(forget: true)) == ["withdraw target.app -A (manifest)"])
    #expect(scene.faults(Allowances(forget: true)) == ["replacedKeyKept key.a"])
  }

  @Test("several parts are made once, and each is replaced") func parts() throws {
    var scene = Scene()
    let name: Identifier<Connection> = named("issuer")
    scene.connections = [name: Connection(name, to: Self.backend)]
    let parts = try ["id", "secret"].map { Minting.Part($0, try #require(Identifier<Key>(part: $0, of: named("a")))) }
    let minting = Minting(named("a"), parts, at: Self.place)
    for part in parts {
      scene.keys[part.key] = Key(
        facts: KeyFacts(provider: "aws", sources: [minting.description]), sources: [], minting: minting)
    }
    scene.target("app", parts.map { from($0.name.uppercased(), $0.key.name) })
    scene.hold([:])
    #expect(
      scene.steps() == [
        "mint key.a at issuer (manifest)", "store key.a.id (manifest)", "store key.a.secret (manifest)",
        "sync target.app ID:new SECRET:new (manifest)",
      ])
    #expect(after(scene.plan().plan.steps, .store) == ["key.a"])
    #expect(after(scene.plan().plan.steps, .sync) == ["key.a.id", "key.a.secret"])
  }

  @Test("planning a key that is made is the same each time, and its text is no reference's") func stable() {
    let scene = recorded(expiry: rotation(), stored: now - .days(90))
    #expect(scene.plan().plan == scene.plan().plan)
    #expect(Minting.place(in: "mint: issuer x") == "issuer x")
    for reference in [remote("mint: x"), command("mint: x"), inFile("mint: x", nil)] {
      #expect(Minting.place(in: reference.description) == nil)
    }
  }
}
