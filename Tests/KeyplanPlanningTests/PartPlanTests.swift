import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

/// Keys with several parts: they are replaced, ended, forgotten and changed by hand together, or not at all.
@Suite struct PartPlanTests {
  private static let backend = BackendDescription(
    "memory-keys", connection: ConnectionGrammar([]),
    issuer: IssuerGrammar(fields: [], parts: ["id", "secret"], canDisable: true))
  private static let issuer = Destination(type: "issuer", location: "")
  private static let id: Identifier<Key> = named("a.id")
  private static let secret: Identifier<Key> = named("a.secret")

  private func issued(_ id: String, version: Int64, at moment: Moment) -> IssuedKey {
    IssuedKey(id: id, label: "label \(id)", place: Self.issuer, version: version, mintedAt: moment)
  }

  /// "a" was made twice, and has the parts "id" and "secret"; each goes to a target of its own. The second key is current there.
  private func scene(overlap: Int64 = 0, parts: [String] = ["id", "secret"]) -> Scene {
    var scene = Scene()
    let name: Identifier<Connection> = named("issuer")
    scene.connections = [name: Connection(name, to: Self.backend)]
    let expiry = Expiry(.after(.days(90)), warn: .days(0), then: .rotate, overlap: Interval(seconds: overlap))
    let minting = Minting(named("a"), parts.map { .init($0, named("a.\($0)")) }, at: Self.issuer)
    let facts = KeyFacts(provider: "generic", variable: "A", expiry: expiry, sources: [minting.description])
    for part in parts { scene.keys[named("a.\(part)")] = Key(facts: facts, sources: [], minting: minting) }
    for part in ["id", "secret"] {
      scene.record("a.\(part)", "two", history: ["one"], facts: facts)
      if parts.contains(part) { scene.target(part, [from("N", "a.\(part)")], at: place(part)) }
      scene.recordTarget(part, ["N": ("a.\(part)", "two")], at: place(part))
    }
    scene.observed.recorded.keys[Self.id]?.issued = [
      issued("id-1", version: 1, at: now - .days(9)), issued("id-2", version: 2, at: now - .days(1)),
    ]
    hold(["id": "two", "secret": "two"], in: &scene)
    return scene
  }

  private func hold(_ values: [String: String], in scene: inout Scene) {
    for (part, value) in values { scene.hold(["N": value], at: place(part)) }
  }

  /// The target of one part has not got the new value.
  private func behind(_ part: String, overlap: Int64 = 0) -> Scene {
    var scene = scene(overlap: overlap)
    scene.recordTarget(part, ["N": ("a.\(part)", "one")], at: place(part))
    hold([part: "one"], in: &scene)
    return scene
  }

  @Test("the old key ends only once the targets of all its parts have the new one", arguments: ["id", "secret"])
  func users(part: String) {
    var scene = behind(part)
    #expect(
      scene.steps() == [
        "sync target.\(part) N:keyChanged (manifest)", "disableIssued key.a.id id-1 (follows)",
        "revokeIssued key.a.id id-1 (follows)",
      ])
    #expect(after(scene.plan().plan.steps, .revokeIssued) == ["key.a.id", "key.a.secret", "target.\(part)"])
    scene.observed.targets[place(part)] = .unreachable(reason: "It is off.")
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["targetUnreachable target.\(part)", "replacedKeyKept key.a.id"])
  }

  @Test("an interrupted write of any part keeps the old key", arguments: ["id", "secret"])
  func attempts(part: String) {
    var scene = scene()
    scene.observed.recorded.attempts[named("other")] = WriteAttempt(
      destination: place("other"), names: ["N": named("a.\(part)")])
    #expect(!scene.steps().contains { $0.hasPrefix("revokeIssued") })
    #expect(scene.faults().contains("replacedKeyKept key.a.id"))
  }

  @Test("the overlap counts from the last target of any part", arguments: ["id", "secret"])
  func overlap(part: String) {
    var scene = scene(overlap: 3600)
    let late = now - Interval(seconds: 60)
    scene.observed.recorded.targets[named(part)]?.entries["N"] = TargetRecord.Entry(
      key: named("a.\(part)"), fingerprint: print("two", of: "a.\(part)"), syncedAt: late)
    let end = late + Interval(seconds: 3600)
    #expect(scene.steps() == [] && scene.faults() == ["replacedKeyKept key.a.id"])
    #expect(
      scene.plan().diagnostics.map(\.issue) == [.key(Self.id, .replacedKeyWaits(["id-1"], until: end))])
    #expect(scene.steps(at: end).count == 2)
  }

  @Test("a target that gets its part late has the whole overlap before it", arguments: ["id", "secret"])
  func lateTarget(part: String) {
    let scene = behind(part, overlap: 3600)
    #expect(scene.steps() == ["sync target.\(part) N:keyChanged (manifest)"])
    #expect(
      scene.plan().diagnostics.map(\.issue) == [
        .key(Self.id, .replacedKeyWaits(["id-1"], until: now + Interval(seconds: 3600)))
      ])
  }

  @Test(
    "no longer declared: the key ends after all targets, and no part is forgotten before", arguments: ["id", "secret"])
  func leaving(part: String) {
    var scene = scene()
    (scene.keys, scene.targets) = ([:], [:])
    scene.settled("z")
    let plan = scene.plan(Allowances(forget: true)).plan
    #expect(
      after(plan.steps, .revokeIssued) == ["key.a.id", "key.a.secret", "target.id", "target.secret"])
    for step in plan.steps where step.effect.action == .forget { #expect(step.after.contains(.key(Self.id))) }
    #expect(plan.steps.count { $0.effect.action == .forget } == 2)
    scene.observed.targets[place(part)] = .unreachable(reason: "It is off.")
    let actions = scene.plan(Allowances(forget: true)).plan.steps.map(\.effect.action)
    #expect(actions == [.withdraw])
  }

  @Test("a part that the provider's description no longer has: another key is made, and only then does the old one end")
  func fewerParts() {
    var scene = scene(overlap: 3600, parts: ["secret"])
    scene.keys[Self.secret] = scene.keys[Self.secret].map { key in
      Key(
        facts: key.facts, sources: [],
        minting: Minting(
          named("a"), [.init("extra", named("a.extra")), .init("secret", Self.secret)], at: Self.issuer))
    }
    scene.keys[named("a.extra")] = scene.keys[Self.secret]
    let allowances = Allowances(forget: true)
    #expect(scene.steps(allowances).contains("mint key.a at issuer (manifest)"))
    // With one value of the key still in use, it is neither ended nor forgotten.
    #expect(!scene.steps(allowances).contains { $0.hasPrefix("revokeIssued") || $0.hasPrefix("forget key.a.id") })
    #expect(scene.faults(allowances).contains("replacedKeyKept key.a.id"))
  }

  @Test("a part that a key has and the description has no longer makes it another key, once") func onePartLess() {
    var scene = scene()
    scene.record("a.third", "two", history: ["one"], facts: scene.keys[Self.id]?.facts)
    let allowances = Allowances(forget: true)
    #expect(scene.steps(allowances).contains("mint key.a at issuer (manifest)"))
    // The next key has been made, and that record is still kept.
    for part in ["id", "secret"] {
      scene.record("a.\(part)", "three", history: ["two", "one"], facts: scene.keys[Self.id]?.facts)
    }
    #expect(!scene.steps(allowances).contains { $0.hasPrefix("mint") })
  }

  @Test("parts of different keys are broken: both keys stay valid, and targets keep what they have")
  func mixed() {
    var scene = scene()
    scene.record("a.secret", "one", facts: scene.keys[Self.secret]?.facts)
    #expect(scene.steps() == [] && scene.faults() == ["partsDiffer key.a.id"])
    let findings = Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
    #expect(findings.map { "\($0.level) \($0.kind) \($0.address)" } == ["broken partsDiffer key.a.id"])
    // A value that a person gave does not go with one that was made, and two of them do.
    for part in [Self.secret, Self.id] {
      scene.observed.recorded.keys[part]?.version = KeyVersion(
        number: 3, fingerprint: print("mine", of: part.name), storedAt: now, origin: nil)
      #expect(scene.faults().contains("partsDiffer key.a.id") == (part == Self.secret))
    }
  }

  @Test("one part is given: the other's value stays at targets, and its key valid") func given() {
    var scene = scene()
    scene.observed.sources[Self.id] = .given(print("mine", of: "a.id"), looksRight: true)
    #expect(scene.steps() == ["replace key.a.id (byHand)"])
    #expect(scene.faults() == ["replacedKeyKept key.a.id"])
  }

  @Test("slots that choose between keys with parts are waited for by the end of either part") func slots() {
    var scene = scene()
    scene.choose("s", ["a.secret"], recorded: "a.secret")
    #expect(after(scene.plan().plan.steps, .revokeIssued).contains("active.s"))
  }

  // MARK: By hand

  private func amended(_ amendment: Amendment, _ scene: Scene, forget: Bool = true) -> (
    steps: [String], faults: [String]
  ) {
    let amended = Plan.amending(
      scene.manifest, by: amendment, with: scene.observed, allowing: Allowances(forget: forget), at: now)
    return (
      amended.plan.steps.map(words), amended.diagnostics.map { "\($0.code) \($0.address.map { "\($0)" } ?? "")" }
    )
  }

  @Test("all parts are rolled back, whichever is named, and none to a revoked key", arguments: [id, secret])
  func rollback(part: Identifier<Key>) {
    var scene = scene()
    #expect(
      amended(.rollback(part, to: 1), scene).steps == [
        "rollback key.a.id 2 -> 1 (byHand)", "rollback key.a.secret 2 -> 1 (byHand)",
      ])
    scene.observed.recorded.keys[Self.secret]?.revoked = [
      Revocation(fingerprint: print("one", of: "a.secret"), version: 1, at: now)
    ]
    #expect(amended(.rollback(part, to: 1), scene).steps == [])
    scene.observed.recorded.keys[Self.secret]?.revoked = []
    scene.observed.recorded.keys[Self.secret]?.history = []
    #expect(amended(.rollback(part, to: 1), scene).steps == [])
  }

  @Test("a rollback of the whole key ends a mixture") func rollbackOfMixture() {
    var scene = scene()
    scene.observed.recorded.keys[Self.secret] = scene.observed.recorded.keys[Self.secret]?.rolledBack(
      KeyRollback(to: 1, was: 2, rejected: nil), revision: 3)
    #expect(scene.faults() == ["partsDiffer key.a.id"])
    #expect(amended(.rollback(Self.id, to: 2), scene).steps == ["rollback key.a.secret 1 -> 2 (byHand)"])
    #expect(amended(.rollback(Self.id, to: 1), scene).steps == ["rollback key.a.id 2 -> 1 (byHand)"])
  }

  @Test("all parts are revoked, purged, forgotten and renamed, whichever is named", arguments: [id, secret])
  func together(part: Identifier<Key>) {
    let scene = scene()
    #expect(
      amended(.revoke(part, reason: nil), scene).steps == ["revoke key.a.id (byHand)", "revoke key.a.secret (byHand)"])
    #expect(
      amended(.purge(part, isAll: false), scene).steps == [
        "purge key.a.id 1 (byHand)", "purge key.a.secret 1 (byHand)",
      ])
    #expect(
      amended(.forget(.key(part)), scene).steps == ["forget key.a.id (byHand)", "forget key.a.secret (byHand)"])
    #expect(
      amended(.forget(.key(part)), scene, forget: false).faults.filter { $0.hasPrefix("keyProtected") }.count == 2)
    #expect(
      amended(.move(part, to: named("b")), scene).steps == [
        "move key.b.id from a.id (byHand)", "move key.b.secret from a.secret (byHand)",
      ])
    var taken = scene
    taken.record("b.secret")
    #expect(amended(.move(part, to: named("b")), taken).steps == [])
    #expect(amended(.move(part, to: named("b")), taken).faults == ["moveRefused key.b.secret"])
  }

  @Test("all parts are restored, or none", arguments: [id, secret])
  func restoring(part: Identifier<Key>) throws {
    var scene = scene()
    for id in [Self.id, Self.secret] {
      let record = try #require(scene.observed.recorded.keys[id])
      scene.observed.recorded.keys[id] = nil
      scene.observed.recorded.forgotten.append(ForgottenKey(key: id, serial: 7, at: now - .days(1), record: record))
    }
    let chosen = try #require(scene.observed.recorded.forgotten.first { $0.key == part })
    #expect(
      amended(.restore(chosen, to: nil), scene).steps == [
        "restore key.a.id (byHand)", "restore key.a.secret (byHand)",
      ])
    #expect(
      amended(.restore(chosen, to: 1), scene).steps == [
        "restore key.a.id (byHand)", "rollback key.a.id 2 -> 1 (byHand)", "restore key.a.secret (byHand)",
        "rollback key.a.secret 2 -> 1 (byHand)",
      ])
    // Another part has a value of another key by now.
    let other = part == Self.id ? Self.secret : Self.id
    scene.record(other.name, "three", history: ["two", "one"], facts: scene.keys[other]?.facts)
    let refused = amended(.restore(chosen, to: nil), scene)
    #expect(refused.steps == [] && refused.faults == ["partsDiffer key.\(part)"])
  }

  @Test("values at targets are accepted for all parts, or for none", arguments: ["id", "secret"])
  func accepting(part: String) {
    var scene = scene()
    hold(["id": "mine", "secret": "mine"], in: &scene)
    #expect(
      amended(.acceptTarget(named(part), name: "N"), scene).steps == [
        "accept key.a.id from target.id.N (byHand)", "accept key.a.secret from target.secret.N (byHand)",
      ])
    // Only one was changed.
    hold([part == "id" ? "secret" : "id": "two"], in: &scene)
    let refused = amended(.acceptTarget(named(part), name: "N"), scene)
    #expect(refused.steps == [] && refused.faults == ["partsDiffer target.\(part).N"])
    // None was.
    hold(["id": "two", "secret": "two"], in: &scene)
    let idle = amended(.acceptTarget(named(part), name: "N"), scene)
    #expect(idle.steps == [] && idle.faults == [])
  }

  @Test("a value that can be read is not accepted with one that stays at its target unread") func acceptingMarks() {
    var scene = scene()
    hold(["id": "mine"], in: &scene)
    scene.observed.targets[place("secret")] = .marks(["N": Mark("changed")])
    let refused = amended(.acceptTarget(named("id"), name: "N"), scene)
    #expect(refused.steps == [] && refused.faults == ["partsDiffer target.id.N"])
  }

  @Test("a selection has all parts, whichever is named, also once they are not declared") func selection() {
    var scene = scene()
    for chosen in ["a", "a.id", "a.secret"] {
      for isDeclared in [true, false] {
        scene.keys = isDeclared ? scene.keys : [:]
        let selection = Selection([.key(named(chosen))], in: scene.manifest, recorded: scene.observed.recorded)
        #expect(selection.contains(.key(Self.id)) && selection.contains(.key(Self.secret)), "\(chosen)")
        #expect(selection.contains(.target(named("secret"))) == !isDeclared, "\(chosen)")
        let unknown = Selection.unknown([.key(named(chosen))], in: scene.manifest, recorded: scene.observed.recorded)
        #expect(unknown == [], "\(chosen)")
      }
      scene = self.scene()
    }
  }

  /// The same key, declared as "b" and moved.
  private func renamed() -> Scene {
    var scene = scene(parts: [])
    let minting = Minting(named("b"), ["id", "secret"].map { .init($0, named("b.\($0)")) }, at: Self.issuer)
    let facts = KeyFacts(
      provider: "generic", variable: "A", expiry: Expiry(.after(.days(90)), warn: .days(0), then: .rotate),
      sources: [minting.description])
    for part in ["id", "secret"] {
      scene.keys[named("b.\(part)")] = Key(facts: facts, sources: [], minting: minting)
      scene.target(part, [from("N", "b.\(part)")], at: place(part))
      scene.move("a.\(part)", to: "b.\(part)")
    }
    return scene
  }

  @Test("a key is renamed with all its parts: none is made, forgotten or revoked because of it") func moved() {
    let scene = renamed()
    let actions = scene.plan().plan.steps.map(\.effect.action)
    #expect(actions.filter { $0 == .move }.count == 2)
    #expect(!actions.contains { [.mint, .forget, .withdraw].contains($0) }, "\(actions)")
    // The key in use is id-2. The old one ends as it does without the rename.
    let ends = scene.steps().filter { $0.hasPrefix("disableIssued") || $0.hasPrefix("revokeIssued") }
    #expect(ends.count == 2 && ends.allSatisfy { $0.contains("id-1") }, "\(ends)")
  }

  @Test("where one part cannot be renamed none is, and nothing of the key ends", arguments: ["id", "secret"])
  func heldBack(part: String) {
    var scene = renamed()
    scene.record("b.\(part)", "other")
    #expect(scene.faults().contains("moveRefused key.b.\(part)"), "\(scene.faults())")
    let steps = scene.plan().plan.steps
    #expect(!steps.contains { $0.effect.action == .move })
    for old in [Self.id, Self.secret] {
      #expect(!steps.contains { $0.address == .key(old) }, "\(steps.map(\.effect.action))")
    }
  }
}
