import KeyplanModel
import KeyplanPlanning
import Testing

/// A value that a person revoked: nobody gets it any more, and nothing brings it back.
@Suite struct RevocationTests {
  private static let a: Identifier<Key> = named("a")

  /// "a" is recorded with "two", after "one", active before "b" in the slot "s", and written to a target.
  private func scene() -> Scene {
    var scene = Scene()
    scene.settled("a", "two")
    scene.record("a", "two", history: ["one"])
    scene.settled("b")
    scene.choose("s", ["a", "b"], recorded: "a")
    scene.target("app", [from(.fixed("S"), slot: "s")])
    scene.recordTarget("app", ["S": ("a", "two")])
    scene.hold(["S": "two"])
    return scene
  }

  private func revoke(_ name: String, _ value: String, version: Int64 = 2, in scene: inout Scene) {
    scene.observed.recorded.keys[named(name)]?.revoked.append(
      Revocation(fingerprint: print(value, of: name), version: version, at: now - .days(3), reason: "leaked"))
  }

  @Test("its slot falls over to the next usable key, and targets get that one's value")
  func fallover() {
    var scene = scene()
    revoke("a", "two", in: &scene)
    #expect(scene.steps() == ["activate active.s a -> b (revocation)", "sync target.app S:keyChanged (manifest)"])
    #expect(scene.faults() == ["keyRevoked key.a"])
  }

  @Test("where nothing else is usable, the slot is reported and the value removed from targets")
  func withoutSuccessor() {
    var scene = scene()
    scene.choose("s", ["a"], recorded: "a")
    revoke("a", "two", in: &scene)
    #expect(scene.steps() == ["withdraw target.app -S (manifest)"])
    #expect(scene.faults() == ["noUsableKey active.s", "keyRevoked key.a"])
    // Nothing that a person could allow keeps it.
    #expect(scene.steps(Allowances(retire: true)) == ["withdraw target.app -S (manifest)"])
  }

  @Test("a target that names the key itself loses the value, and says why")
  func targetOfKey() {
    var scene = scene()
    scene.target("app", [from("S", "a")])
    revoke("a", "two", in: &scene)
    #expect(scene.steps().contains("withdraw target.app -S (manifest)"))
    #expect(scene.faults() == ["noUsableKey target.app", "keyRevoked key.a"])
  }

  @Test("an expired key that is revoked is neither kept as the last one nor retired")
  func expired() {
    var scene = Scene()
    scene.settled("a", expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire), stored: now - .days(91))
    scene.choose("s", ["a"], recorded: "a")
    revoke("a", "one", version: 1, in: &scene)
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["noUsableKey active.s", "keyRevoked key.a"])
  }

  @Test(
    "a new value is stored, and makes the key usable again",
    arguments: [Key.Follow.always, .once])
  func newValue(follow: Key.Follow) {
    var scene = scene()
    scene.declare("a", follow: follow)
    scene.find("a", "three")
    revoke("a", "two", in: &scene)
    #expect(scene.faults() == [])
    #expect(scene.steps().first?.hasPrefix("replace key.a") == true)
    #expect(!scene.steps().contains { $0.contains("active.s") })
  }

  @Test("a value that was revoked as an earlier version is not stored again")
  func comesBack() {
    var scene = scene()
    scene.find("a", "one")
    revoke("a", "one", version: 1, in: &scene)
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["valueRevoked key.a"])
  }

  @Test("neither is it after its version has left the history, nor once the key was forgotten")
  func forgotten() throws {
    var scene = scene()
    revoke("a", "ancient", version: 0, in: &scene)
    scene.find("a", "ancient")
    #expect(scene.faults() == ["valueRevoked key.a"])
    let record = try #require(scene.observed.recorded.keys[Self.a])
    scene.observed.recorded.keys[Self.a] = nil
    scene.observed.recorded.forgotten = [ForgottenKey(key: Self.a, serial: 7, at: now - .days(1), record: record)]
    #expect(!scene.steps().contains { $0.hasPrefix("store key.a") })
    #expect(scene.faults().contains("valueRevoked key.a"))
  }

  @Test("while the value is known at apply only, the key stays out of use")
  func unknown() {
    var scene = scene()
    revoke("a", "two", in: &scene)
    scene.find("a", .deferred)
    #expect(scene.faults() == ["keyRevoked key.a"])
    #expect(scene.steps().contains("activate active.s a -> b (revocation)"))
  }

  @Test("the record keeps what was revoked through new values, rollbacks and renewed facts")
  func records() throws {
    var scene = scene()
    revoke("a", "one", version: 1, in: &scene)
    let record = try #require(scene.observed.recorded.keys[Self.a])
    let write = KeyWrite(facts: record.facts, source: 0)
    let stored = KeyRecord.storing(write, print("three", of: "a"), over: record, revision: 9, at: now)
    #expect(stored.revoked == record.revoked && stored.revocation == nil)
    #expect(record.updating(write, revision: 9).revoked == record.revoked)
    let rollback = KeyRollback(to: 1, was: 2, rejected: nil)
    #expect(record.rolledBack(rollback, revision: 9) == nil)
    #expect(record.previous == nil)
    let other = KeyRollback(to: 2, was: 3, rejected: nil)
    #expect(stored.rolledBack(other, revision: 9)?.revoked == record.revoked)
    let again = KeyRecord.storing(
      write, print("three", of: "a"), over: nil, after: record, revision: 9, at: now)
    #expect(again.revoked == record.revoked && again.history == [])
  }

  @Test("revoking is a step on the current version, and the next plan follows it")
  func amendment() {
    let scene = scene()
    let amended = Plan.amending(
      scene.manifest, by: .revoke(Self.a, reason: "leaked"), with: scene.observed, at: now)
    #expect(amended.plan.steps.map(words) == ["revoke key.a (byHand)"])
    #expect(amended.diagnostics == [])
    #expect(
      amended.next.steps.map(words) == [
        "activate active.s a -> b (revocation)", "sync target.app S:keyChanged (manifest)",
      ])
    var revoked = scene
    revoke("a", "two", in: &revoked)
    let again = Plan.amending(revoked.manifest, by: .revoke(Self.a, reason: nil), with: revoked.observed, at: now)
    #expect(again.plan.isEmpty)
  }

  @Test("a revoked version is not rolled back to, and a revoked value at a target is not accepted")
  func refused() {
    var scene = scene()
    revoke("a", "one", version: 1, in: &scene)
    let back = Plan.amending(scene.manifest, by: .rollback(Self.a, to: 1), with: scene.observed, at: now)
    #expect(back.plan.isEmpty)
    scene.hold(["S": "one"])
    let accepted = Plan.amending(
      scene.manifest, by: .acceptTarget(named("app"), name: "S"), with: scene.observed, at: now)
    #expect(accepted.plan.isEmpty)
    #expect(accepted.diagnostics.map(\.code) == [.valueRevoked])
  }

  @Test("drift: broken while a slot or target has the key, else pending; a slot without another key is broken, too")
  func drift() {
    func findings(_ scene: Scene) -> [String] {
      Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings.map {
        "\($0.level) \($0.kind) \($0.address)"
      }
    }
    var scene = scene()
    revoke("a", "two", in: &scene)
    let left = "broken targetLeft target.app.S"
    #expect(findings(scene) == ["broken revoked key.a", left])
    scene.choose("s", ["a"], recorded: "a")
    #expect(findings(scene) == ["broken slotWithoutKey active.s", "broken revoked key.a", left])
    scene.slots = [:]
    scene.observed.recorded.slots = [:]
    scene.targets = [:]
    scene.observed.recorded.targets = [:]
    #expect(findings(scene) == ["pending revoked key.a"])
  }

  @Test("purging names what it deletes; with the current value the slot goes first, and guards ask for leave")
  func purge() {
    var scene = scene()
    func purge(_ scene: Scene, isAll: Bool, forget: Bool = false) -> AmendedPlan {
      Plan.amending(
        scene.manifest, by: .purge(Self.a, isAll: isAll), with: scene.observed, allowing: Allowances(forget: forget),
        at: now)
    }
    let earlier = purge(scene, isAll: false)
    #expect(earlier.plan.steps.map(words) == ["purge key.a 1 (byHand)"])
    #expect(earlier.diagnostics == [] && earlier.next.isEmpty)
    let all = purge(scene, isAll: true, forget: true)
    #expect(all.plan.steps.map(words) == ["deactivate active.s (byHand)", "purge key.a 2 1 all (byHand)"])
    #expect(all.next.steps.first.map(words) == "store key.a (manifest)")
    #expect(purge(scene, isAll: true).diagnostics.map(\.code) == [.keyProtected, .stillDeclared, .stillHeld])
    scene.record("a", "two")
    #expect(purge(scene, isAll: false).plan.isEmpty)
  }
}
