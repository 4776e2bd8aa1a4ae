import KeyplanModel
import KeyplanPlanning
import Testing

/// What a person asks of the records, beside the manifest: the plan, what is said of it, and what the next apply would do.
@Suite struct AmendmentTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let amendment: Amendment
    let steps: [String]
    let faults: [String]
    let next: [String]
    let allowances: Allowances
    let make: @Sendable (inout Scene) -> Void

    init(
      _ words: String, _ amendment: Amendment, steps: [String] = [], faults: [String] = [], next: [String] = [],
      allowing allowances: Allowances = Allowances(), _ make: @escaping @Sendable (inout Scene) -> Void
    ) {
      (testDescription, self.amendment, self.steps, self.faults, self.next) = (words, amendment, steps, faults, next)
      (self.allowances, self.make) = (allowances, make)
    }
  }

  /// "a" is recorded with "two", after "one", and its source gives "two"; another key keeps it company.
  private static func settle(_ scene: inout Scene) {
    scene.settled("a", "two")
    scene.record("a", "two", history: ["one"])
    scene.settled("z")
  }

  private static let a: Identifier<Key> = named("a")
  private static let app: Identifier<Target> = named("app")
  private static let old = ForgottenKey(
    key: a, serial: 7, at: now - .days(3),
    record: KeyRecord(
      revision: 3, facts: Scene.facts("a", [remote("a")]),
      version: KeyVersion(number: 2, fingerprint: print("two", of: "a"), storedAt: now - .days(9), origin: "vault://a"),
      history: [
        KeyVersion(number: 1, fingerprint: print("one", of: "a"), storedAt: now - .days(99), origin: nil)
      ]))

  static let moves: [Row] = [
    Row("renamed in the manifest too: that is all", .move(a, to: named("b")), steps: ["move key.b from a (byHand)"]) {
      $0.declare("b")
      $0.record("a")
    },
    Row(
      "not declared under the new name", .move(a, to: named("b")), steps: ["move key.b from a (byHand)"],
      faults: ["notDeclared key.b"]
    ) { $0.record("a") },
    Row(
      "still declared under the old name", .move(a, to: named("b")), steps: ["move key.b from a (byHand)"],
      faults: ["stillDeclared key.b"]
    ) { settle(&$0) },
    Row(
      "both are declared", .move(a, to: named("b")), steps: ["move key.b from a (byHand)"],
      faults: ["stillDeclared key.a"]
    ) {
      settle(&$0)
      $0.declare("b")
    },
    Row("the new name is taken: refused", .move(a, to: named("z")), faults: ["moveRefused key.z"]) { settle(&$0) },
    Row("to itself: refused", .move(a, to: a), faults: ["moveRefused key.a"]) { settle(&$0) },
  ]

  static let forgets: [Row] = [
    Row("not declared", .forget(.key(a)), steps: ["forget key.a (byHand)"]) {
      $0.settled("z")
      $0.record("a")
    },
    Row(
      "still declared: it comes back", .forget(.key(a)), steps: ["forget key.a (byHand)"],
      faults: ["stillDeclared key.a"], next: ["store key.a (manifest)"]
    ) { settle(&$0) },
    Row(
      "still declared, and without a source", .forget(.key(a)), steps: ["forget key.a (byHand)"],
      faults: ["stillDeclared key.a"]
    ) {
      $0.settled("z")
      $0.declare("a", [])
      $0.record("a")
    },
    Row(
      "still declared, and its original is still there", .forget(.key(a)), steps: ["forget key.a (byHand)"],
      faults: ["stillDeclared key.a"],
      next: [
        "adopt key.a from dotenv://.env#A (migration)", "remove migration.1 from dotenv://.env#A (migration)",
      ]
    ) {
      $0.settled("z")
      $0.adopt("a", from: ".env", "A", isRemoved: true)
      $0.original("a", "one")
      $0.record("a")
    },
    Row("the only key: held", .forget(.key(a)), steps: ["forget key.a (byHand)"], faults: ["keyProtected key.a"]) {
      $0.record("a")
    },
    Row(
      "the only key, and allowed", .forget(.key(a)), steps: ["forget key.a (byHand)"],
      allowing: Allowances(forget: true)
    ) { $0.record("a") },
    Row("protected: held", .forget(.key(a)), steps: ["forget key.a (byHand)"], faults: ["keyProtected key.a"]) {
      $0.settled("z")
      $0.record("a", facts: Scene.facts("a", isProtected: true))
    },
    Row(
      "active: its slot is emptied, if that is allowed", .forget(.key(a)),
      steps: ["deactivate active.s (byHand)", "forget key.a (byHand)"], faults: ["keyProtected key.a"]
    ) {
      $0.settled("z")
      $0.record("a")
      $0.activate("s", "a")
    },
    Row(
      "at a target: it stays there, and the next apply takes it away", .forget(.key(a)),
      steps: ["forget key.a (byHand)"], faults: ["stillHeld target.app"], next: ["withdraw target.app -K (manifest)"]
    ) {
      $0.settled("z")
      $0.record("a")
      $0.recordTarget("app", ["K": (key: "a", value: "one")])
      $0.hold(["K": "one"])
    },
    Row("a slot", .forget(.slot(named("s"))), steps: ["forget active.s (byHand)"]) { $0.activate("s", "a") },
    Row(
      "a slot that is declared", .forget(.slot(named("s"))), steps: ["forget active.s (byHand)"],
      faults: ["stillDeclared active.s"], next: ["activate active.s a (manifest)"]
    ) {
      settle(&$0)
      $0.choose("s", ["a"], recorded: "a")
    },
    Row(
      "a target that is declared", .forget(.target(app)), steps: ["forget target.app (byHand)"],
      faults: ["stillHeld target.app"], next: ["sync target.app K:alreadyThere (manifest)"]
    ) {
      settle(&$0)
      $0.target("app", [from("K", "a")])
      $0.recordTarget("app", ["K": (key: "a", value: "two")])
      $0.hold(["K": "two"])
    },
    Row(
      "one name of a target", .forget(.entry(app, name: "K")), steps: ["forget target.app.K (byHand)"],
      faults: ["stillHeld target.app"], next: ["withdraw target.app -L (manifest)"]
    ) {
      settle(&$0)
      $0.recordTarget("app", ["K": (key: "a", value: "two"), "L": (key: "a", value: "two")])
      $0.hold(["K": "two", "L": "two"])
    },
    Row("what is not recorded", .forget(.target(app))) { settle(&$0) },
  ]

  static let rollbacks: [Row] = [
    Row(
      "the source's value is rejected, so that the next apply takes nothing in", .rollback(a, to: 1),
      steps: ["rollback key.a 2 -> 1 (byHand)"], faults: ["valueRejected key.a"]
    ) { settle(&$0) },
    Row(
      "whatever that is by now", .rollback(a, to: 1), steps: ["rollback key.a 2 -> 1 (byHand)"],
      faults: ["valueRejected key.a"]
    ) {
      settle(&$0)
      $0.find("a", "three")
    },
    Row("the source gives the earlier value already", .rollback(a, to: 1), steps: ["rollback key.a 2 -> 1 (byHand)"]) {
      settle(&$0)
      $0.find("a", "one")
    },
    Row(
      "the source could not be asked: nothing is taken in", .rollback(a, to: 1),
      steps: ["rollback key.a 2 -> 1 (byHand)"]
    ) {
      settle(&$0)
      $0.find("a", .unreachable(index: 0, reason: "x"))
    },
    Row(
      "targets and slots are the next apply's", .rollback(a, to: 1), steps: ["rollback key.a 2 -> 1 (byHand)"],
      faults: ["valueRejected key.a"], next: ["sync target.app K:keyChanged (manifest)"]
    ) {
      settle(&$0)
      $0.target("app", [from("K", "a")])
      $0.recordTarget("app", ["K": (key: "a", value: "two")])
      $0.hold(["K": "two"])
    },
    Row(
      "too old: the next apply retires it", .rollback(a, to: 1), steps: ["rollback key.a 2 -> 1 (byHand)"],
      faults: ["expired key.a", "valueRejected key.a"], next: ["retire key.a (expiry)"]
    ) {
      let expiry = Expiry(.after(.days(30)), warn: .days(1), then: .retire)
      $0.settled("a", "two", expiry: expiry)
      $0.record("a", "two", history: ["one"], stored: now - .days(31))
      $0.settled("z")
    },
    Row(
      "no longer declared: the next apply forgets it", .rollback(a, to: 1),
      steps: ["rollback key.a 2 -> 1 (byHand)"], faults: ["notDeclared key.a"], next: ["forget key.a (manifest)"]
    ) {
      $0.record("a", "two", history: ["one"])
      $0.settled("z")
    },
    Row("a version that is not kept", .rollback(a, to: 9)) { settle(&$0) },
  ]

  static let restorations: [Row] = [
    Row("as it was", .restore(old, to: nil), steps: ["restore key.a (byHand)"]) {
      $0.settled("z")
      $0.declare("a")
      $0.find("a", "two")
    },
    Row(
      "another value at the source is rejected", .restore(old, to: 2), steps: ["restore key.a (byHand)"],
      faults: ["valueRejected key.a"]
    ) {
      $0.settled("z")
      $0.declare("a")
      $0.find("a", "three")
    },
    Row(
      "to an earlier version", .restore(old, to: 1),
      steps: ["restore key.a (byHand)", "rollback key.a 2 -> 1 (byHand)"], faults: ["valueRejected key.a"]
    ) {
      $0.settled("z")
      $0.declare("a")
      $0.find("a", "two")
    },
    Row(
      "not declared: the next apply forgets it again", .restore(old, to: nil), steps: ["restore key.a (byHand)"],
      faults: ["notDeclared key.a"], next: ["forget key.a (manifest)"]
    ) { $0.settled("z") },
  ]

  /// "a" is at a target, where somebody put another value.
  private static func mend(_ scene: inout Scene, _ value: String = "mended") {
    settle(&scene)
    scene.target("app", [from("K", "a")])
    scene.recordTarget("app", ["K": (key: "a", value: "two")])
    scene.hold(["K": value])
  }

  private static let accepted = ["accept key.a from target.app.K (byHand)"]

  static let acceptances: [Row] = [
    Row(
      "what stands there is the value from now on", .acceptTarget(app, name: "K"), steps: accepted,
      faults: ["valueRejected key.a"]
    ) { mend(&$0) },
    Row("the source gives it too", .acceptTarget(app, name: "K"), steps: accepted) {
      mend(&$0)
      $0.find("a", "mended")
    },
    Row("a key without a source", .acceptTarget(app, name: "K"), steps: accepted) {
      mend(&$0)
      $0.declare("a", [])
      $0.record("a", "two", history: ["one"])
      $0.observed.sources[a] = nil
    },
    Row(
      "other places get it with the next apply", .acceptTarget(app, name: "K"), steps: accepted,
      faults: ["valueRejected key.a"], next: ["sync target.app L:keyChanged (manifest)"]
    ) {
      mend(&$0)
      $0.target("app", [from("K", "a"), from("L", "a")])
      $0.recordTarget("app", ["K": (key: "a", value: "two"), "L": (key: "a", value: "two")])
      $0.hold(["K": "mended", "L": "two"])
    },
    Row("what is recorded anyway", .acceptTarget(app, name: "K")) { mend(&$0, "two") },
    Row("nothing there", .acceptTarget(app, name: "K"), faults: ["secretNotFound target.app.K"]) {
      mend(&$0)
      $0.hold([:])
    },
    Row("something that is no text", .acceptTarget(app, name: "K"), faults: ["targetNameUnusable target.app.K"]) {
      mend(&$0)
      $0.observed.targets[place(".env")] = .entries(["K": FoundEntry([:])])
    },
    Row("a name that cannot be read", .acceptTarget(app, name: "K"), faults: ["targetNameUnusable target.app.K"]) {
      mend(&$0)
      $0.conceal("K")
    },
    Row("a place that does not answer", .acceptTarget(app, name: "K"), faults: ["targetUnreachable target.app.K"]) {
      mend(&$0)
      $0.observed.targets[place(".env")] = .unreachable(reason: "x")
    },
    Row("a place that shows nothing", .acceptTarget(app, name: "K"), faults: ["targetUnreadable target.app.K"]) {
      mend(&$0)
      $0.observed.targets[place(".env")] = .marks(["K": nil])
    },
    Row("a place that is not allowed", .acceptTarget(app, name: "K"), faults: ["targetUnreadable target.app.K"]) {
      mend(&$0)
      $0.observed.targets[place(".env")] = .notAllowed
    },
    Row("a source's value, although it was rejected", .acceptSource(a), steps: ["replace key.a (byHand)"]) {
      settle(&$0)
      $0.record("a", "two", history: ["one"], rejected: "three")
      $0.find("a", "three")
    },
    Row(
      "a source's value, although it is followed only once", .acceptSource(a), steps: ["replace key.a (byHand)"],
      faults: ["unexpectedFormat key.a"]
    ) {
      settle(&$0)
      $0.declare("a", follow: .once)
      $0.find("a", "three", looksRight: false)
    },
    Row("a source's value that is recorded", .acceptSource(a)) { settle(&$0) },
    Row("a source without a value", .acceptSource(a), faults: ["secretNotFound key.a"]) {
      settle(&$0)
      $0.find("a", .missing)
    },
    Row("a source that does not answer", .acceptSource(a), faults: ["sourceUnreachable key.a"]) {
      settle(&$0)
      $0.find("a", .unreachable(index: 0, reason: "x"))
    },
  ]

  @Test("each is planned alone", arguments: moves + forgets + rollbacks + restorations + acceptances)
  func planned(row: Row) {
    var scene = Scene()
    row.make(&scene)
    let amended = Plan.amending(
      scene.manifest, by: row.amendment, with: scene.observed, allowing: row.allowances, at: now)
    #expect(amended.plan.steps.map(words) == row.steps)
    #expect(
      amended.diagnostics.map { "\($0.code)" + ($0.address.map { " \($0)" } ?? "") }.sorted() == row.faults.sorted())
    if !row.next.isEmpty || row.steps.isEmpty { #expect(amended.next.steps.map(words) == row.next) }
  }

  @Test("a rollback that breaks a rule is refused; what was broken before is not held against it")
  func rules() {
    var scene = Scene()
    Self.settle(&scene)
    scene.observed.recorded.keys[Self.a]?.history[0] = KeyVersion(
      number: 1, fingerprint: print("one", of: "a"), storedAt: now - .days(40), origin: nil)
    func codes(_ rule: Rule) -> [Diagnostic.Code] {
      let manifest = Manifest(keys: scene.keys, rules: [rule])
      return Plan.amending(manifest, by: .rollback(Self.a, to: 1), with: scene.observed, at: now).diagnostics.map(
        \.code)
    }
    #expect(codes(Rule(named("young"), .age(below: .days(30)))) == [.ruleBroken, .valueRejected])
    #expect(codes(Rule(named("none"), .noSources(of: ["vault"]))) == [.valueRejected])
  }

  @Test("the grounds are the records' revisions, and the value that was found")
  func grounds() {
    var scene = Scene()
    Self.mend(&scene)
    func ground(_ amendment: Amendment) -> Precondition? {
      Plan.amending(scene.manifest, by: amendment, with: scene.observed, at: now).plan.steps.first?.ground
    }
    #expect(ground(.acceptTarget(Self.app, name: "K")) == Precondition(revision: 3, source: print("mended", of: "a")))
    #expect(ground(.rollback(Self.a, to: 1)) == Precondition(revision: 3))
    #expect(ground(.forget(.entry(Self.app, name: "K"))) == Precondition(revision: 5))
    #expect(ground(.move(Self.a, to: named("b"))) == Precondition(revision: 3))
  }
}
