import KeyplanModel
import KeyplanPlanning
import Testing

/// Plans for values that only some recipients can open.
@Suite struct ReaderPlanTests {
  private struct Change: Sendable {
    let label: String
    let isTold: String?
    let change: @Sendable (inout Scene) -> Void

    init(_ label: String, isTold: String? = nil, _ change: @escaping @Sendable (inout Scene) -> Void) {
      (self.label, self.isTold, self.change) = (label, isTold, change)
    }
  }

  private static let recipients: [Identifier<Recipient>: Recipient] = [
    named("me"): Recipient(publicKey: "1"), named("ops"): Recipient(publicKey: "2"),
    named("ci"): Recipient(publicKey: "3", role: .plan),
  ]

  private func limit(_ name: String, to recipients: [String]?, recorded: [String]?, in scene: inout Scene) {
    let id: Identifier<Key> = named(name)
    guard let key = scene.keys[id] else { return }
    let facts = key.facts.with(recipients: recipients?.map { named($0) })
    scene.keys[id] = Key(facts: facts, sources: key.sources)
    scene.observed.recorded.keys[id]?.facts = facts.with(recipients: recorded?.map { named($0) })
  }

  /// `all` is everybody's, and `secret` is for `ops`. Both are at a target.
  private func scene() -> Scene {
    var scene = Scene()
    scene.settled("all")
    scene.settled("secret")
    limit("secret", to: ["ops"], recorded: ["ops"], in: &scene)
    scene.recipients = Self.recipients
    scene.observed.recorded.recipients = Self.recipients
    scene.observed.recorded.store = StoreState(id: String(repeating: "5", count: 32), serial: 9, epoch: 1)
    scene.target("app", [from("ALL", "all"), from("SECRET", "secret")])
    scene.recordTarget("app", ["ALL": ("all", "one"), "SECRET": ("secret", "one")])
    scene.hold(["ALL": "one", "SECRET": "one"])
    return scene
  }

  private func seen(_ scene: Scene, by reader: String?) -> Scene {
    var scene = scene
    let closed = scene.observed.recorded.keys.compactMapValues { record in
      record.facts.recipients.flatMap { names in names.contains { $0.name == reader } ? nil : names }
    }
    scene.observed.recorded.access = reader.map { ValueAccess(readers: [named($0)], closed: closed) }
    return scene
  }

  @Test(
    "who cannot open a value has the same plan as others, and is told of the steps that need it",
    arguments: [
      Change("nothing to do") { _ in },
      Change("another value", isTold: "key.secret") { $0.find("secret", "two") },
      Change("the other value") { $0.find("all", "two") },
      Change("missing at the target", isTold: "key.secret") { $0.hold(["ALL": "one"]) },
      Change("only the other one missing") { $0.hold(["SECRET": "one"]) },
      Change("the target is gone", isTold: "key.secret") { $0.hold([:]) },
      Change("not declared any more") {
        $0.keys[named("secret")] = nil
        $0.targets = [:]
      },
      Change("who leaves needs a fresh root key", isTold: "recipients") { $0.recipients?[named("ci")] = nil },
      Change("who comes needs none") { $0.recipients?[named("new")] = Recipient(publicKey: "4") },
    ])
  private func steps(_ made: Change) {
    var scene = scene()
    made.change(&scene)
    let label = made.label
    let told = made.isTold.map { ["valueClosed \($0)"] } ?? []
    let (member, outsider, planner) = (seen(scene, by: "ops"), seen(scene, by: "me"), seen(scene, by: nil))
    #expect(outsider.steps() == member.steps() && planner.steps() == member.steps(), "\(label)")
    #expect(outsider.faults().filter { $0.hasPrefix("valueClosed") } == told, "\(label)")
    #expect(!(member.faults() + planner.faults()).contains { $0.hasPrefix("valueClosed") }, "\(label)")
  }

  @Test(
    "a key's other readers are a step, which needs somebody who is among both",
    arguments: [
      (was: nil, to: ["ops"], open: ["ops"]), (was: ["ops"], to: nil, open: ["ops"]),
      (was: ["ops"], to: ["me"], open: []), (was: ["me", "ops"], to: ["me"], open: ["me"]),
      (was: ["me"], to: ["me", "ops"], open: ["me"]), (was: ["ops"], to: ["ops"], open: ["me", "ops"]),
    ] as [(was: [String]?, to: [String]?, open: [String])])
  func change(was: [String]?, to: [String]?, open: [String]) {
    var scene = scene()
    limit("secret", to: to, recorded: was, in: &scene)
    #expect(scene.steps() == (was == to ? [] : ["update key.secret (manifest)"]))
    for reader in ["me", "ops"] {
      #expect(
        seen(scene, by: reader).faults() == (open.contains(reader) ? [] : ["valueClosed key.secret"]), "\(reader)")
    }
  }

  @Test("a new key for others is not stored by somebody who could not read it again")
  func newKey() {
    var scene = scene()
    scene.declare("new")
    scene.find("new", "one")
    limit("new", to: ["ops"], recorded: nil, in: &scene)
    #expect(seen(scene, by: "me").faults() == ["valueClosed key.new"])
    #expect(seen(scene, by: "ops").faults() == [])
  }

  @Test("needs no value to be retired, revoked, forgotten, purged, restored or rolled back")
  func withoutValue() {
    let recorded = seen(scene(), by: "me").observed.recorded
    let id: Identifier<Key> = named("secret")
    let effects: [KeyEffect] = [
      .retire, .forget, .rollback(KeyRollback(to: 1, was: 2, rejected: print("one", of: "secret"))),
    ]
    for effect in effects { #expect(recorded.closedValues(for: .store(.key(id, effect))) == []) }
    #expect(recorded.closedValues(for: .store(.key(named("other"), .move(from: id)))).map(\.key) == [id])
  }

  @Test(
    "who no longer reads a value may have kept it",
    arguments: [
      (was: nil, to: ["ops"], isNew: false, exposed: ["me"]),
      (was: ["me", "ops"], to: ["ops"], isNew: false, exposed: ["me"]),
      (was: ["ops"], to: nil, isNew: false, exposed: []), (was: ["ops"], to: ["me"], isNew: false, exposed: ["ops"]),
      (was: nil, to: ["ops"], isNew: true, exposed: []), (was: ["ops"], to: ["ops"], isNew: false, exposed: []),
      (was: ["ops"], to: ["platform"], isNew: false, exposed: []),
    ] as [(was: [String]?, to: [String]?, isNew: Bool, exposed: [String])])
  func exposed(was: [String]?, to: [String]?, isNew: Bool, exposed: [String]) throws {
    var scene = scene()
    scene.record("secret", "two", history: ["one"])
    limit("secret", to: to, recorded: was, in: &scene)
    let old = try #require(scene.observed.recorded.keys[named("secret")])
    let facts = try #require(scene.keys[named("secret")]).facts
    let write = KeyWrite(facts: facts, source: nil)
    let record =
      isNew
      ? KeyRecord.storing(write, print("three", of: "secret"), over: old, revision: 4, at: now)
      : old.updating(write, revision: 4)
    var after = Self.recipients
    // By another name, with the same key.
    if to == ["platform"] { after[named("platform")] = after.removeValue(forKey: named("ops")) }
    let narrowed = record.narrowed(from: old, among: Self.recipients, and: after, at: now)
    #expect(narrowed.version.exposures.names == exposed)
    #expect(narrowed.history.last?.exposures.names == (isNew ? ["me"] : exposed), "the values from before")
  }

  @Test("who is removed from the store has read only what was for them")
  func removed() throws {
    let leaving = [Exposure(recipient: named("me"), since: now)]
    let keys = scene().observed.recorded.keys
    #expect(try #require(keys[named("all")]).exposed(to: leaving).version.exposures == leaving)
    #expect(try #require(keys[named("secret")]).exposed(to: leaving).version.exposures == [])
  }
}
