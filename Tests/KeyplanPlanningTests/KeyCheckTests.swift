import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

/// What the provider of a key said about its value.
@Suite struct KeyCheckTests {
  /// "a" is recorded with "one", active before "b" in the slot "s", and written to a target.
  private func scene(_ candidates: [String] = ["a", "b"], follow: Key.Follow = .always) -> Scene {
    var scene = Scene()
    scene.settled("a", "one")
    scene.settled("b")
    scene.declare("a", follow: follow)
    scene.choose("s", candidates, recorded: "a")
    scene.target("app", [from(.fixed("S"), slot: "s")])
    scene.recordTarget("app", ["S": ("a", "one")])
    scene.hold(["S": "one"])
    return scene
  }

  private func say(_ outcome: CheckOutcome, expires: Moment? = nil, of name: String = "a", in scene: inout Scene) {
    scene.observed.recorded.keys[named(name)]?.version.check = KeyCheck(outcome, at: now - .days(3), expires: expires)
  }

  private func drift(_ scene: Scene) -> [String] {
    Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings.map {
      "\($0.level) \($0.kind) \($0.address)"
    }
  }

  @Test(
    "the slot of a key that its provider does not accept falls over to the next usable key",
    arguments: [CheckOutcome.invalid, .expired, .blocked])
  func fallover(_ outcome: CheckOutcome) {
    var scene = scene()
    say(outcome, in: &scene)
    #expect(scene.steps() == ["activate active.s a -> b (check)", "sync target.app S:alreadyThere (manifest)"])
    #expect(scene.faults() == ["keyInvalid key.a"])
  }

  @Test(
    "any other answer changes nothing",
    arguments: [CheckOutcome.valid, .restricted, .throttled, .pending, .unknown])
  func otherwise(_ outcome: CheckOutcome) {
    var scene = scene()
    say(outcome, in: &scene)
    #expect(scene.steps() == [] && scene.faults() == [] && drift(scene) == [])
  }

  @Test("a key without credit stays in use, and plan and drift report it as verify does")
  func noCredit() {
    var scene = scene()
    say(.noCredit, in: &scene)
    #expect(scene.steps() == [] && scene.faults() == ["noCredit key.a"])
    #expect(drift(scene) == ["pending noCredit key.a"])
  }

  @Test("where nothing else is usable, the key stays in use, and that is reported")
  func onlyKey() {
    var scene = scene(["a"])
    say(.invalid, in: &scene)
    #expect(scene.steps() == [] && scene.faults() == ["keyInvalid key.a"])
  }

  @Test("a slot goes back to the key once it is accepted again")
  func acceptedAgain() {
    var scene = scene()
    scene.choose("s", ["a", "b"], recorded: "b")
    scene.recordTarget("app", ["S": ("b", "value of b")])
    say(.invalid, in: &scene)
    #expect(!scene.steps().contains { $0.contains("active.s") })
    say(.valid, in: &scene)
    #expect(scene.steps().contains("activate active.s b -> a (manifest)"))
  }

  @Test("a new value has not been rejected, also where the source is followed once", arguments: Key.Follow.allCases)
  func newValue(_ follow: Key.Follow) {
    var scene = scene(follow: follow)
    say(.invalid, in: &scene)
    scene.find("a", "two")
    #expect(scene.faults() == [])
    #expect(scene.steps().first?.hasPrefix("replace key.a") == true)
    #expect(!scene.steps().contains { $0.contains("active.s") })
    let record = scene.observed.recorded.keys[named("a")]
    let write = KeyWrite(facts: KeyFacts(provider: "generic"), source: nil)
    #expect(KeyRecord.storing(write, print("two", of: "a"), over: record, revision: 2, at: now).version.check == nil)
  }

  @Test("other facts of the same value keep what was said, and a rollback brings back what was said then")
  func keeps() throws {
    var scene = scene()
    say(.invalid, in: &scene)
    let record = try #require(scene.observed.recorded.keys[named("a")])
    let write = KeyWrite(facts: KeyFacts(provider: "generic", sources: ["env://A"]), source: 0)
    #expect(record.updating(write, revision: 2).version.check?.outcome == .invalid)
    let next = KeyRecord.storing(write, print("two", of: "a"), over: record, revision: 3, at: now)
    let rollback = KeyRollback(to: record.version.number, was: next.version.number, rejected: nil)
    #expect(next.rolledBack(rollback, revision: 4)?.version.check?.outcome == .invalid)
  }

  @Test("drift reports a rejected key that is in use as broken since then, and another one as pending")
  func drifts() {
    var scene = scene()
    say(.invalid, in: &scene)
    #expect(drift(scene) == ["broken keyInvalid key.a"])
    let findings = Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
    #expect(findings.first?.since == now - .days(3))
    var other = self.scene()
    say(.invalid, of: "b", in: &other)
    #expect(drift(other) == ["pending keyInvalid key.b"])
  }

  @Test("an end that the provider named is reported as the policy's own, if it is earlier")
  func ends() {
    var scene = scene()
    say(.valid, expires: now + .days(10), in: &scene)
    #expect(scene.faults() == ["expiresSoon key.a"])
    say(.valid, expires: now - .days(1), in: &scene)
    #expect(scene.faults() == ["expired key.a"])
    say(.valid, expires: now + .days(15), in: &scene)
    #expect(scene.faults() == [])
  }

  @Test("a revoked key is reported as revoked, whatever its provider said")
  func revoked() {
    var scene = scene()
    say(.invalid, in: &scene)
    scene.observed.recorded.keys[named("a")]?.revoked.append(
      Revocation(fingerprint: print("one", of: "a"), version: 1, at: now, reason: nil))
    #expect(scene.faults() == ["keyRevoked key.a"])
  }

  // MARK: New values

  @Test("a new value is checked first where that is wanted and possible")
  func checkedFirst() throws {
    var scene = scene()
    scene.find("a", "two")
    func writes() -> [Bool] {
      scene.plan().plan.steps.compactMap { if case .store(let effect) = $0.effect { effect.isChecked } else { nil } }
    }
    #expect(writes() == [false])
    scene.observed.checkable = [named("a")]
    #expect(writes() == [true])
    scene.find("a", .deferred)
    #expect(writes() == [true])
    scene.find("a", "one")
    #expect(writes() == [])
  }

  @Test(
    "a new value that its provider rejected is reported, and planned only to be checked again"
  )
  func refused() throws {
    var scene = scene()
    let record = try #require(scene.observed.recorded.keys[named("a")])
    let check = KeyCheck(.invalid, at: now - .days(2))
    scene.observed.recorded.keys[named("a")] = record.refusing(print("two", of: "a"), check, revision: record.revision)
    #expect(scene.steps() == [] && scene.faults() == [])
    scene.find("a", "two")
    #expect(scene.steps() == [] && scene.faults() == ["valueRejected key.a"])
    #expect(drift(scene) == ["pending valueRejected key.a"])
    scene.observed.checkable = [named("a")]
    #expect(scene.steps().first?.hasPrefix("replace key.a") == true && scene.faults() == [])
    scene.observed.checkable = []
    scene.find("a", "three")
    #expect(scene.steps().first?.hasPrefix("replace key.a") == true && scene.faults() == [])
    let refusing = try #require(scene.observed.recorded.keys[named("a")])
    let write = KeyWrite(facts: KeyFacts(provider: "generic"), source: 0)
    let next = KeyRecord.storing(write, print("three", of: "a"), over: refusing, revision: 3, at: now)
    #expect(next.rejected == nil && next.refusal == nil)
  }

  @Test("a person's rejection is not the provider's, and the other way round") func whoRejected() throws {
    let scene = scene()
    let record = try #require(scene.observed.recorded.keys[named("a")])
      .refusing(print("two", of: "a"), KeyCheck(.invalid, at: now), revision: 2)
    let write = KeyWrite(facts: record.facts, source: 0)
    let next = KeyRecord.storing(write, print("three", of: "a"), over: record, revision: 3, at: now)
    let rollback = KeyRollback(to: 1, was: 2, rejected: print("three", of: "a"))
    let back = try #require(next.rolledBack(rollback, revision: 4))
    #expect(back.rejected == print("three", of: "a") && back.refusal == nil)
    var kept = back
    kept.rejected = nil
    #expect(kept.refusing(print("x", of: "a"), KeyCheck(.blocked, at: now), revision: 5).refusal?.outcome == .blocked)
  }

  // MARK: Who gets a key

  private static let openai = "openai"

  private func obstacle(
    declared: String = "openai", recorded: String = "openai", _ check: DeclaredCheck? = nil,
    under surface: Surface = Surface()
  ) -> CheckObstacle? {
    let id: Identifier<Key> = named("a")
    let manifest = Manifest(
      providers: [declared: Provider(check: check)],
      keys: [id: Key(facts: KeyFacts(provider: declared), sources: [])])
    let version = KeyVersion(number: 1, fingerprint: print("one", of: "a"), storedAt: now, origin: nil)
    let record = KeyRecord(revision: 1, facts: KeyFacts(provider: recorded), version: version)
    return manifest.checkObstacle(of: id, record, under: surface)
  }

  private static func check(_ address: String, _ digest: String? = nil, host: String) -> DeclaredCheck {
    DeclaredCheck(address: address, digest: digest, hosts: [ExternalAccess(.host, host)])
  }

  private static func surface(of provider: String, _ check: DeclaredCheck) -> Surface {
    let manifest = Manifest(
      providers: [provider: Provider(check: check)],
      keys: [named("a"): Key(facts: KeyFacts(provider: provider), sources: [])])
    return Surface(manifest.surface.mapValues { $0 })
  }

  @Test("the built-in check of the recorded provider needs no permission; another provider must be applied first")
  func recordedProvider() {
    #expect(obstacle() == nil)
    #expect(obstacle(declared: "acme") == .otherProvider(declared: "acme", recorded: "openai"))
    #expect(
      obstacle(declared: "openai", recorded: "generic") == .otherProvider(declared: "openai", recorded: "generic"))
    let own = Self.check("https://evil.example", "sha256:1", host: "evil.example")
    #expect(obstacle(declared: "acme", own, under: Self.surface(of: "acme", own)) != nil)
  }

  @Test("another address and a described check are permitted as they are, and in no other way")
  func declaredCheck() {
    let own = Self.check("https://gate.example", "sha256:1", host: "gate.example")
    let pending = CheckObstacle.pending(ExternalAccess(.host, "gate.example"))
    #expect(obstacle(own) == pending)
    let permitted = Self.surface(of: "openai", own)
    #expect(obstacle(own, under: permitted) == nil)
    // Another address on the host, another request, another host, the same for another provider, and none any more.
    #expect(
      obstacle(Self.check("https://gate.example/x", "sha256:1", host: "gate.example"), under: permitted) == pending)
    #expect(obstacle(Self.check("https://gate.example", "sha256:2", host: "gate.example"), under: permitted) == pending)
    #expect(obstacle(Self.check("https://gate.example", nil, host: "gate.example"), under: permitted) == pending)
    #expect(
      obstacle(Self.check("https://e.example", "sha256:1", host: "e.example"), under: permitted)
        == .pending(ExternalAccess(.host, "e.example")))
    #expect(obstacle(own, under: Self.surface(of: "acme", own)) == pending)
    #expect(obstacle(under: permitted) == pending)
    // A host that was allowed for something else.
    #expect(
      obstacle(own, under: Surface([ExternalAccess(.host, "gate.example"): ["connection x"]])) == pending)
  }

  @Test("a declared check is planned as a permission of its hosts, and revoked once it is no longer declared")
  func permission() {
    let own = Self.check("https://gate.example", "sha256:1", host: "gate.example")
    var scene = scene()
    #expect(!scene.steps().contains { $0.hasPrefix("allow") })
    let id: Identifier<Key> = named("a")
    let key = Key(facts: KeyFacts(provider: "acme"), sources: [])
    let manifest = Manifest(providers: ["acme": Provider(check: own)], keys: [id: key])
    scene.observed.recorded = Recorded()
    let plan = Plan.reconciling(manifest, with: scene.observed, at: now).plan
    #expect(plan.steps.contains { $0.address == .surface(ExternalAccess(.host, "gate.example")) })
    var after = Observation(recorded: Recorded())
    after.recorded.surface = Self.surface(of: "acme", own)
    let gone = Plan.reconciling(Manifest(), with: after, at: now).plan
    #expect(gone.steps.contains { if case .store(.disallow) = $0.effect { true } else { false } })
  }
}
