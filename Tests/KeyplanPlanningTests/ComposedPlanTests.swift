import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

/// Keys whose values are made of those of other keys: declared × recorded, and what a person asks for.
@Suite struct ComposedPlanTests {
  /// `db` and `user` have a value from a source, and `url` is made of both. Everything is recorded and at a target.
  private func scene(_ template: String = "postgres://{user:url}:{db:url}@db/app") throws -> Scene {
    var scene = Scene()
    scene.settled("db")
    scene.settled("user")
    try scene.declareComposed("url", template)
    scene.recordComposed("url")
    scene.target("app", [from("URL", "url"), from("DB", "db")])
    scene.recordTarget("app", ["URL": ("url", "one"), "DB": ("db", "one")])
    scene.hold(["URL": "one", "DB": "one"])
    return scene
  }

  private func findings(_ scene: Scene) -> [Finding] {
    Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
  }

  private func step(_ scene: Scene, _ key: String) -> Step? {
    scene.plan().plan.steps.first { $0.address == .key(named(key)) }
  }

  @Test("is made after its parts, in one plan, and the plan shows the template and no fingerprint") func first() throws
  {
    var scene = Scene()
    scene.declare("zz")
    scene.find("zz", "one")
    try scene.declareComposed("b", "{zz}{c}")
    try scene.declareComposed("c", "x{zz:base64}")
    try scene.declareComposed("a", "{b:json}")
    scene.target("app", [from("A", "a")])
    scene.hold([:])
    #expect(
      scene.steps() == [
        "store key.zz (manifest)", "store key.c (manifest)", "store key.b (manifest)", "store key.a (manifest)",
        "sync target.app A:new (manifest)",
      ])
    #expect(step(scene, "b")?.after == [.key(named("c")), .key(named("zz"))])
    #expect(step(scene, "b")?.ground == Precondition())
    let composition = try Composition("{zz}{c}")
    let facts = try #require(scene.keys[named("b")]).facts
    #expect(step(scene, "b")?.effect == .store(.key(named("b"), .store(KeyWrite(facts, .composed(composition))))))
    #expect(facts.sources == ["compose: {zz}{c}"])
  }

  @Test("nothing is planned where each part has the value that it is made of") func settled() throws {
    let scene = try scene()
    #expect(scene.steps() == [] && scene.faults() == [] && findings(scene) == [])
  }

  @Test("is replaced with a part, and written with it; one plan shows both") func followed() throws {
    var scene = try scene()
    scene.find("db", "two")
    #expect(
      scene.steps() == [
        "replace key.db (sourceChanged)", "replace key.url (follows)",
        "sync target.app DB:keyChanged URL:keyChanged (follows)",
      ])
    #expect(step(scene, "url")?.after == [.key(named("db"))])
    #expect(scene.plan().plan.steps.last?.after == [.key(named("db")), .key(named("url"))])
    #expect(findings(scene).map(\.kind) == [.sourceChanged])
  }

  @Test("a part that was replaced alone is found by drift, and the next plan follows") func behind() throws {
    var scene = try scene()
    scene.record("db", "two", history: ["one"])
    scene.find("db", "two")
    scene.recordTarget("app", ["URL": ("url", "one"), "DB": ("db", "two")])
    scene.hold(["URL": "one", "DB": "two"])
    #expect(scene.steps() == ["replace key.url (follows)", "sync target.app URL:keyChanged (follows)"])
    let finding = try #require(findings(scene).first)
    #expect(finding.fact == .partsChanged([named("db")]) && finding.level == .pending)
  }

  @Test("a record that is forgotten and begun again has the same numbers, and is another value") func begunAgain()
    throws
  {
    var scene = try scene()
    scene.record("db", "one", stored: now - .days(3))
    #expect(scene.steps().first == "replace key.url (follows)")
  }

  @Test("another template makes it again; another description does not") func edited() throws {
    var scene = try scene()
    try scene.declareComposed("url", "mysql://{user:url}:{db:url}@db/app")
    #expect(scene.steps() == ["replace key.url (manifest)", "sync target.app URL:keyChanged (follows)"])
    #expect(step(scene, "url")?.ground == Precondition(revision: 3))
    #expect(findings(scene) == [])
    try scene.declareComposed(
      "url", "postgres://{user:url}:{db:url}@db/app", expiry: Expiry(.after(.days(9)), warn: .days(1), then: .warn))
    #expect(scene.steps() == ["update key.url (manifest)"])
  }

  @Test("a value from elsewhere is replaced once the key is composed, whatever its sources were") func switched() throws
  {
    var scene = try scene()
    scene.record("url", "one", facts: Scene.facts("url", [remote("url")]))
    #expect(scene.steps().first == "replace key.url (manifest)")
    // An apply that recorded the facts alone leaves the value to be made.
    scene.record("url", "one", facts: scene.keys[named("url")]?.facts)
    scene.setOrigin("url", "mem://url")
    #expect(scene.steps().first == "replace key.url (manifest)")
  }

  @Test("waits for parts without a value, and names them") func waits() throws {
    var scene = Scene()
    scene.declare("db", [])
    try scene.declareComposed("url", "{db}")
    #expect(scene.steps() == [])
    #expect(scene.faults() == ["noValueYet key.db", "noValueYet key.url"])
    #expect(scene.plan().diagnostics.contains { $0.issue == .key(named("url"), .partsMissing([named("db")])) })
  }

  @Test("is revoked with a part, leaves the targets with it, and says which part") func revoked() throws {
    var scene = try scene()
    scene.revoke("db", reason: "leaked")
    let revocation = try #require(scene.observed.recorded.inheriting().keys[named("url")]?.revocation)
    #expect(revocation.part == named("db") && revocation.reason == "leaked" && revocation.version == 1)
    #expect(scene.steps() == ["withdraw target.app -DB -URL (manifest)"])
    #expect(scene.faults().filter { $0.hasPrefix("keyRevoked") } == ["keyRevoked key.db", "keyRevoked key.url"])
    #expect(findings(scene).filter { $0.kind == .revoked }.map(\.address) == [.key(named("db")), .key(named("url"))])
    // Made of the revoked value, it is not stored by itself either.
    scene.observed.recorded.keys[named("url")] = nil
    #expect(!scene.steps().contains { $0.contains("key.url") })
    #expect(scene.faults().contains("noValueYet key.url"))
  }

  @Test("a part's next value makes the key usable again") func revokedAndReplaced() throws {
    var scene = try scene()
    scene.revoke("db")
    scene.find("db", "two")
    #expect(
      scene.steps() == [
        "replace key.db (sourceChanged)", "replace key.url (follows)",
        "sync target.app DB:keyChanged URL:keyChanged (follows)",
      ])
    #expect(!scene.faults().contains { $0.hasPrefix("keyRevoked") })
  }

  @Test("a version that is made of a revoked one cannot be rolled back to, nor served, whatever the manifest says")
  func rolledBack() throws {
    var scene = try scene()
    let parts = try #require(scene.observed.recorded.keys[named("url")]).version.parts
    scene.record("db", "two", history: ["one"])
    scene.revoke("db", "one", version: 1)
    var record = try #require(scene.observed.recorded.keys[named("url")])
    let old = record.version
    scene.record("url", "two", history: ["one"])
    record = try #require(scene.observed.recorded.keys[named("url")])
    record.version = KeyVersion(
      number: 2, fingerprint: print("two", of: "url"), storedAt: now - .days(1), origin: old.origin,
      parts: [ComposedPart(named("db"), try #require(scene.observed.recorded.keys[named("db")]).version)])
    record.history[0].parts = parts
    scene.observed.recorded.keys[named("url")] = record
    // The branch says that it comes from somewhere else.
    scene.declare("url")
    scene.find("url", "two")
    let recorded = scene.observed.recorded.inheriting()
    let known = try #require(recorded.keys[named("url")])
    #expect(known.revocation == nil)
    #expect(known.revocation(of: print("one", of: "url"))?.part == named("db"))
    scene.observed.recorded = recorded
    let amended = Plan.amending(
      scene.manifest, by: .rollback(named("url"), to: 1), with: scene.observed, at: now)
    #expect(amended.plan.isEmpty)
    #expect(known.rolledBack(KeyRollback(to: 1, was: 2, rejected: nil), revision: 9) == nil)
  }

  @Test("the same for a value in which the composed one is a part, however deep") func deep() throws {
    var scene = try scene()
    try scene.declareComposed("outer", "<{url:json}>")
    scene.recordComposed("outer")
    scene.revoke("db")
    let outer = try #require(scene.observed.recorded.inheriting().keys[named("outer")])
    #expect(outer.revocation?.part == named("db"))
    #expect(outer.serving(at: now) == .revoked(since: now, reason: nil, part: named("db")))
  }

  @Test("is exposed with a part until that is replaced") func exposed() throws {
    var scene = try scene()
    scene.expose("db", to: "anna")
    let faults = scene.plan().diagnostics.filter { $0.code == .valueExposed }
    #expect(faults.map(\.address) == [.key(named("db")), .key(named("url"))])
    #expect(
      faults.contains {
        if case .key(named("url"), .exposed(let value)) = $0.issue { value.parts == [named("db")] } else { false }
      })
    scene.find("db", "two")
    #expect(!scene.faults().contains { $0.hasPrefix("valueExposed") })
    // Another part does not help.
    scene.find("db", "one")
    scene.find("user", "two")
    #expect(scene.faults().filter { $0.hasPrefix("valueExposed") } == ["valueExposed key.db", "valueExposed key.url"])
  }

  @Test("a part that is rejected or past its end makes it unusable for a slot") func unusable() throws {
    var scene = try scene()
    scene.settled("spare")
    scene.choose("s", ["url", "spare"], recorded: "url")
    #expect(scene.steps() == [])
    scene.check("db", .invalid)
    #expect(scene.steps() == ["activate active.s url -> spare (check)"])
    scene.check("db", nil)
    scene.settled("db", expiry: Expiry(.after(.days(5)), warn: .days(1), then: .retire), stored: now - .days(9))
    scene.recordComposed("url")
    #expect(scene.steps().contains("activate active.s url -> spare (expiry)"))
  }

  @Test("a part is needed as long as what is made of it is; retired by leave, it takes that along") func retired()
    throws
  {
    var scene = try scene()
    scene.targets[named("app")] = nil
    scene.observed.recorded.targets = [:]
    scene.target("web", [from("URL", "url")], at: place("web"))
    scene.recordTarget("web", ["URL": ("url", "one")], at: place("web"))
    scene.hold(["URL": "one"], at: place("web"))
    scene.settled("db", expiry: Expiry(.after(.days(5)), warn: .days(1), then: .retire), stored: now - .days(9))
    scene.recordComposed("url")
    #expect(scene.steps() == [] && scene.faults() == ["lastKeyKept key.db"])
    #expect(scene.steps(Allowances(retire: true)) == ["withdraw target.web -URL (manifest)", "retire key.db (expiry)"])
    // The same after the apply.
    scene.settled("db", expiry: Expiry(.after(.days(5)), warn: .days(1), then: .retire), stored: now - .days(9))
    scene.observed.recorded.keys[named("db")]?.retiredAt = now
    scene.recordComposed("url")
    let known = try #require(scene.observed.recorded.inheriting().keys[named("url")])
    #expect(known.serving(at: now) == .retired(since: now, part: named("db")))
  }

  @Test("ends with the first of its parts, or by its own policy") func expiry() throws {
    var scene = try scene()
    scene.settled("db", expiry: Expiry(.after(.days(30)), warn: .days(9), then: .warn))
    scene.recordComposed("url")
    var known = try #require(scene.observed.recorded.inheriting().keys[named("url")])
    #expect(known.state(at: now) == .fresh(until: now + .days(29)))
    #expect(known.endingPart(at: now) == named("db"))
    known.facts = Scene.facts("url", expiry: Expiry(.after(.days(3)), warn: .days(1), then: .warn))
    #expect(known.state(at: now) == .fresh(until: now + .days(2)) && known.endingPart(at: now) == nil)
  }

  @Test("its age under a rule is that of its oldest part") func rule() throws {
    var scene = try scene()
    scene.settled("db", stored: now - .days(40))
    scene.recordComposed("url")
    let rule = Rule(named("young"), .age(below: .days(30)), keys: [named("url")])
    let manifest = Manifest(keys: scene.keys, targets: scene.targets, rules: [rule])
    let diagnostics = Plan.reconciling(manifest, with: scene.observed, at: now).diagnostics
    #expect(diagnostics.contains { $0.code == .ruleBroken && $0.address == .key(named("url")) })
  }

  @Test("a value that a part's rename concerns stays what it is") func moved() throws {
    var scene = try scene()
    scene.move("db", to: "password")
    scene.declare("password")
    scene.keys[named("db")] = nil
    try scene.declareComposed("url", "postgres://{user:url}:{password:url}@db/app")
    scene.observed.sources[named("password")] = .value(print("one", of: "db"), index: 0, looksRight: true)
    scene.targets[named("app")] = nil
    scene.target("app", [from("URL", "url"), from("DB", "password")])
    let steps = scene.steps().filter { $0.contains("url") }
    #expect(steps == [], "\(scene.steps())")
  }

  @Test("what is given by hand for a target's name cannot be accepted for it, nor a value of a source") func accepted()
    throws
  {
    var scene = try scene()
    scene.hold(["URL": "two", "DB": "one"])
    let target = Plan.amending(
      scene.manifest, by: .acceptTarget(named("app"), name: "URL"), with: scene.observed, at: now)
    #expect(target.plan.isEmpty)
    #expect(
      target.diagnostics.map(\.issue) == [
        .entry(named("app"), name: "URL", place(".env"), .composed(named("url"), of: [named("user"), named("db")]))
      ])
    let source = Plan.amending(scene.manifest, by: .acceptSource(named("url")), with: scene.observed, at: now)
    #expect(
      source.plan.isEmpty
        && source.diagnostics.map(\.issue) == [.key(named("url"), .madeOfParts([named("user"), named("db")]))])
    let rollback = Plan.amending(scene.manifest, by: .rollback(named("url"), to: 1), with: scene.observed, at: now)
    #expect(rollback.plan.isEmpty && rollback.diagnostics.count == 1)
  }

  @Test("purging a part purges what was made of its values, and names what still is") func purged() throws {
    var scene = try scene()
    // An earlier value of the part, and one that was made of it.
    let old = try #require(scene.observed.recorded.keys[named("url")]).version.parts
    scene.record("db", "two", history: ["one"])
    scene.record("url", "two", history: ["one"])
    var record = try #require(scene.observed.recorded.keys[named("url")])
    record.history[0].parts = old
    scene.observed.recorded.keys[named("url")] = record
    scene.find("db", "two")
    let earlier = Plan.amending(scene.manifest, by: .purge(named("db"), isAll: false), with: scene.observed, at: now)
    #expect(earlier.plan.steps.map(words) == ["purge key.db 1 (byHand)", "purge key.url 1 (byHand)"])
    // The current value is made of it as well.
    record.version.parts = old
    scene.observed.recorded.keys[named("url")] = record
    let remains = Plan.amending(scene.manifest, by: .purge(named("db"), isAll: false), with: scene.observed, at: now)
    #expect(remains.diagnostics.contains { $0.issue == .key(named("url"), .containsPurged(named("db"))) })
    let all = Plan.amending(
      scene.manifest, by: .purge(named("db"), isAll: true), with: scene.observed,
      allowing: Allowances(forget: true), at: now)
    #expect(all.plan.steps.map(words).sorted() == ["purge key.db 2 1 all (byHand)", "purge key.url 2 1 all (byHand)"])
  }

  @Test("a change of a part by hand is followed by what is made of it, and at its targets") func consequences() throws {
    var scene = try scene()
    scene.record("db", "two", history: ["one"])
    scene.find("db", "two")
    let amended = Plan.amending(scene.manifest, by: .rollback(named("db"), to: 1), with: scene.observed, at: now)
    // The rolled back value is the one that the composed value is made of.
    #expect(!amended.next.steps.contains { $0.address == .key(named("url")) })
    scene = try self.scene()
    let revoked = Plan.amending(scene.manifest, by: .revoke(named("db"), reason: nil), with: scene.observed, at: now)
    let after = try #require(revoked.after)
    let made = scene.observed.recorded.dependents(of: [named("db")], in: scene.manifest)
    #expect(made == [named("url")])
    let change = KeyChange(
      revoked.plan.steps, of: made.union([named("db")]), values: [:], isRevocation: true)
    let followed = Consequences(of: change, in: revoked.next, revoked.nextDiagnostics, scene.manifest, after)
    #expect(followed.removed == [named("app"): ["DB", "URL"]])
  }

  @Test("a selection of a part takes along what is made of it, and not what else that is made of") func selected()
    throws
  {
    let scene = try scene()
    let part = Selection([.key(named("db"))], in: scene.manifest, recorded: scene.observed.recorded)
    #expect(part.contains(.key(named("url"))) && !part.contains(.key(named("user"))))
    let whole = Selection([.key(named("url"))], in: scene.manifest, recorded: scene.observed.recorded)
    #expect(whole.contains(.key(named("db"))) && whole.contains(.key(named("user"))))
  }

  @Test("who cannot open a part cannot make the value, and has the same plan") func closed() throws {
    var scene = try scene()
    scene.find("user", "two")
    let steps = scene.steps()
    scene.observed.recorded.access = ValueAccess(readers: [named("me")], closed: [named("db"): [named("ops")]])
    #expect(scene.steps() == steps)
    #expect(scene.faults().contains("valueClosed key.db"))
  }

  // MARK: Graphs

  @Test("10,000 keys that each compose the next have an order, and 10,000 in a circle are one circle") func long()
    throws
  {
    var chain: [Identifier<Key>: Composition] = [:]
    for index in 0..<10_000 { chain[named("k\(index)")] = try Composition("{k\(index + 1)}") }
    let order = CompositionOrder(chain)
    #expect(order.keys.first == named("k9999") && order.keys.count == 10_000 && order.circles.isEmpty)
    #expect(order.depths[named("k0")] == 10_000)
    chain[named("k9999")] = try Composition("{k0}")
    let circle = CompositionOrder(chain)
    #expect(circle.keys.isEmpty && circle.circles.map(\.count) == [10_000])
  }

  @Test("a record that names a circle, which no apply makes, ends") func circularRecords() throws {
    var scene = try scene()
    try scene.declareComposed("other", "{url}")
    scene.recordComposed("other")
    var record = try #require(scene.observed.recorded.keys[named("url")])
    let other = try #require(scene.observed.recorded.keys[named("other")])
    record.version.parts.append(ComposedPart(named("other"), other.version))
    scene.observed.recorded.keys[named("url")] = record
    #expect(scene.observed.recorded.inheriting().keys[named("url")]?.inherited?.parts.isEmpty == false)
  }

  @Test("in random graphs each key comes after its parts, circles are closed, and plans are the same each time")
  func random() throws {
    var random = Seeded(seed: 33)
    for _ in 0..<300 {
      var scene = Scene()
      let count = Int.random(in: 2...9, using: &random)
      for index in 0..<count {
        if index == 0 || Int.random(in: 0..<3, using: &random) == 0 {
          scene.settled("k\(index)")
        } else {
          let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) }
          try scene.declareComposed("k\(index)", parts.map { "{k\($0)}" }.joined(separator: "-"))
        }
      }
      let compositions = scene.keys.compactMapValues(\.composition)
      let order = CompositionOrder(compositions)
      for (position, id) in order.keys.enumerated() {
        for part in compositions[id]?.parts ?? [] where compositions[part] != nil {
          #expect(order.keys.firstIndex(of: part).map { $0 < position } == true)
          #expect((order.depths[part] ?? 0) < (order.depths[id] ?? 0))
        }
      }
      for circle in order.circles {
        for (id, next) in zip(circle, circle.dropFirst() + circle.prefix(1)) {
          #expect(compositions[id]?.parts.contains(next) == true)
        }
      }
      #expect((order.keys.count == compositions.count) == order.circles.isEmpty)
      #expect(scene.plan().plan == scene.plan().plan)
      // Each step comes after those that it waits for.
      var done: Set<Address> = []
      let planned = Set(scene.plan().plan.steps.map(\.address))
      for step in scene.plan().plan.steps {
        #expect(step.after.allSatisfy { !planned.contains($0) || done.contains($0) })
        done.insert(step.address)
      }
    }
  }
}

extension Scene {
  mutating func declareComposed(_ name: String, _ template: String, expiry: Expiry? = nil) throws {
    let composition = try Composition(template)
    let facts = KeyFacts(
      provider: "generic", variable: name.uppercased(), expiry: expiry, sources: [composition.description])
    keys[named(name)] = Key(facts: facts, sources: [], composition: composition)
  }

  /// Records a declared composed key, made of what its parts have now.
  mutating func recordComposed(_ name: String, _ value: String = "one") {
    record(name, value)
    let id: Identifier<Key> = named(name)
    let parts = (keys[id]?.composition?.parts ?? []).compactMap { part in
      observed.recorded.keys[part].map { ComposedPart(part, $0.version) }
    }
    observed.recorded.keys[id]?.version.parts = parts
  }

  mutating func setOrigin(_ name: String, _ origin: String) {
    guard let old = observed.recorded.keys[named(name)]?.version else { return }
    observed.recorded.keys[named(name)]?.version = KeyVersion(
      number: old.number, fingerprint: old.fingerprint, storedAt: old.storedAt, origin: origin)
  }

  mutating func revoke(_ name: String, _ value: String = "one", version: Int64 = 1, reason: String? = nil) {
    observed.recorded.keys[named(name)]?.revoked.append(
      Revocation(fingerprint: print(value, of: name), version: version, at: now, reason: reason))
  }

  mutating func expose(_ name: String, to recipient: String) {
    observed.recorded.keys[named(name)]?.version.exposures = [
      Exposure(recipient: named(recipient), since: now - .days(2))
    ]
  }

  mutating func check(_ name: String, _ outcome: CheckOutcome?) {
    observed.recorded.keys[named(name)]?.version.check = outcome.map { KeyCheck($0, at: now) }
  }
}
