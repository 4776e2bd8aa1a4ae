import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import TestTools
import Testing

/// Keys that an apply has made at their provider: made once, recorded before they are used, and ended only when nothing uses them.
@Suite struct MintingTests {
  private static let rotation = Expiry(
    .after(.days(90)), warn: Interval(seconds: 0), then: .rotate, overlap: Interval(seconds: 0))

  /// Accepts what the issuer accepts, some checks later.
  private final class Provider: ValueChecking {
    private let issuer: MemoryIssuer
    private let refusals: Mutex<Int>

    init(_ issuer: MemoryIssuer, refusals: Int = 0) {
      self.issuer = issuer
      self.refusals = Mutex(refusals)
    }

    func check(_ values: [UncheckedValue]) async -> [Identifier<Key>: CheckVerdict] {
      var verdicts: [Identifier<Key>: CheckVerdict] = [:]
      for value in values {
        let text = value.value.withBytes { String(decoding: $0, as: UTF8.self) }
        let isEarly = refusals.withLock { left in
          defer { left = max(0, left - 1) }
          return left > 0
        }
        verdicts[value.key] =
          issuer.accepts(text) && !isEarly
          ? .accepted(KeyCheck(.valid, at: start)) : .refused(KeyCheck(.invalid, at: start), reason: "Not known.")
      }
      return verdicts
    }
  }

  /// "a" is made at the issuer, and written to two places.
  private func world(
    _ issuer: MemoryIssuer = MemoryIssuer(named("issuer")), parts: [String] = ["key"], expiry: Expiry? = rotation
  ) -> World {
    var world = World()
    world.issuer = issuer
    declare(in: &world, parts: parts, expiry: expiry)
    return world
  }

  private func declare(
    in world: inout World, parts: [String] = ["key"], expiry: Expiry? = rotation,
    at place: Destination = Destination(type: "issuer", location: "")
  ) {
    let keys = parts.map { part in
      Minting.Part(part, parts.count == 1 ? named("a") : Identifier<Key>(part: part, of: named("a")) ?? named("a"))
    }
    let minting = Minting(named("a"), keys, at: place)
    var names: [String: String] = [:]
    for key in keys {
      let facts = KeyFacts(
        provider: "openai", variable: key.name.uppercased(), expiry: expiry, sources: [minting.description])
      world.keys[key.key] = Key(facts: facts, sources: [], minting: minting)
      names[key.name.uppercased()] = key.key.name
    }
    world.send("app", names)
    world.send("web", names, to: otherPlace)
  }

  private var otherPlace: Destination { place("web") }

  @Test("it is made once, with a label that names store, key and step; its id is recorded, and the next plan is empty")
  func once() async throws {
    let world = world()
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["KEY": "key-1"] && world.held(at: place("web")) == ["KEY": "key-1"])
    let record = try #require(try world.store.recorded().keys[named("a")])
    #expect(record.issued.map(\.id) == ["id-1"] && record.issued.first?.version == 1 && record.pending == nil)
    #expect(record.version.origin == "mint: issuer")
    let store = try #require(try world.store.recorded().store?.id)
    let label = try #require(world.issuer?.keys.first?.label)
    #expect(label.hasPrefix("keyplan/\(store)/a/") && record.issued.first?.label == label)
    #expect(try await world.plan().isEmpty)
    #expect(try await world.apply().isComplete)
    #expect(world.issuer?.requests == ["mint"])
  }

  @Test("at its end another one is made, checked and written, and then the old one is disabled and revoked")
  func rotated() async throws {
    var world = world()
    try await world.apply()
    world.now = start + .days(91)
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["KEY": "key-2"] && world.held(at: place("web")) == ["KEY": "key-2"])
    #expect(world.issuer?.requests == ["mint", "mint", "disable id-1", "revoke id-1"])
    let record = try #require(try world.store.recorded().keys[named("a")])
    #expect(record.issued.map(\.id) == ["id-2"] && record.version.number == 2)
    // It does not come back by a rollback.
    #expect(record.revoked.map(\.version) == [1] && record.previous == nil)
    #expect(try await world.plan().isEmpty)
  }

  @Test("a provider that needs some seconds is asked again, and a key that it refuses is not used") func early()
    async throws
  {
    let issuer = MemoryIssuer(named("issuer"))
    var world = world(issuer)
    world.checkable = [named("a")]
    world.checks = Provider(issuer, refusals: 3)
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["KEY": "key-1"])
    world.now = start + .days(91)
    world.checks = Provider(issuer, refusals: 99)
    let outcome = try await world.apply()
    #expect(outcome.reports.map(words).prefix(2) == ["mint key.a: done", "replace key.a: failed"])
    #expect(outcome.reports.dropFirst(2).allSatisfy { $0.result != .done })
    #expect(world.held() == ["KEY": "key-1"] && issuer.accepts("key-1"))
    // It is kept, and used once the provider accepts it.
    world.checks = Provider(issuer)
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["KEY": "key-2"] && issuer.keys.map(\.id) == ["id-2"])
  }

  @Test("the first key is used only once it was checked, also after an interruption") func firstChecked() async throws {
    let issuer = MemoryIssuer(named("issuer"))
    var world = world(issuer)
    world.checkable = [named("a")]
    world.checks = Provider(issuer, refusals: 99)
    #expect(try await world.apply().isComplete == false)
    #expect(world.held() == [:])
    #expect(try await world.plan().steps.map { "\($0.effect.action)" }.first == "replace")
    world.checks = Provider(issuer)
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["KEY": "key-1"] && issuer.requests == ["mint"])
    #expect(try await world.plan().isEmpty)
  }

  @Test("a key whose answer was lost is found by its label and revoked, and another one is made") func lost()
    async throws
  {
    let issuer = MemoryIssuer(named("issuer"))
    let world = world(issuer)
    issuer.addForeign("theirs")
    issuer.loseAnswer()
    let outcome = try await world.apply()
    #expect(outcome.reports.map(words).first == "mint key.a: failed")
    #expect(try world.store.recorded().mints.keys.map(\.name) == ["a"])
    #expect(issuer.keys.map(\.id) == ["theirs", "id-1"])
    #expect(try await world.apply().isComplete)
    #expect(issuer.keys.map(\.id) == ["theirs", "id-2"] && world.held() == ["KEY": "key-2"])
    #expect(try world.store.recorded().mints.isEmpty)
  }

  @Test("a clock that is moved ends no key that a target has, and costs one more key at most") func movedClock()
    async throws
  {
    let expiry = Expiry(.after(.days(90)), warn: Interval(seconds: 0), then: .rotate, overlap: .days(1))
    for offsets in [[-400, 0, 1], [400, 0, 1, 400], [400, -400, 402], [89, 90, 89, 91, 92]] as [[Int64]] {
      let issuer = MemoryIssuer(named("issuer"))
      var world = world(issuer, expiry: expiry)
      try await world.apply()
      for offset in offsets {
        world.now = offset < 0 ? start - .days(-offset) : start + .days(offset)
        #expect(try await world.apply().isComplete, "\(offsets) at \(offset)")
        for held in [world.held(), world.held(at: otherPlace)] {
          let value = try #require(held["KEY"])
          #expect(issuer.accepts(value), "\(offsets) at \(offset)")
        }
        #expect(issuer.keys.count <= 2, "\(offsets) at \(offset)")
      }
    }
  }

  @Test(
    "a list that is late is read again until the lost key is in it, or would be for sure", arguments: [true, false])
  func late(hasLabels: Bool) async throws {
    let issuer = MemoryIssuer(named("issuer"), hasLabels: hasLabels, listDelay: Interval(seconds: 60))
    var world = world(issuer)
    let paused = Mutex<[Duration]>([])
    world.pause = { duration in paused.withLock { $0.append(duration) } }
    issuer.hideKeys(from: 3)
    issuer.loseAnswer()
    try await world.apply()
    issuer.hideKeys(from: 0)
    world.now = start + Interval(seconds: 10)
    let outcome = try await world.apply()
    #expect(outcome.isComplete)
    #expect(paused.withLock { $0 } == [.seconds(2), .seconds(4), .seconds(8)])
    #expect(issuer.keys.map(\.id) == (hasLabels ? ["id-2"] : ["id-1", "id-2"]))
    let note = StepNote.unexplainedKeys(["id-1"], at: Destination(type: "issuer", location: ""))
    #expect(outcome.reports.first?.note == (hasLabels ? nil : note))
  }

  @Test("a request that made no key is waited for once, and not after that time") func lateForNothing() async throws {
    for (later, pauses) in [(0, [2, 4, 8, 16, 30]), (45, [2, 4, 8, 1]), (60, []), (-9000, [2, 4, 8, 16, 30])] {
      let issuer = MemoryIssuer(named("issuer"), listDelay: Interval(seconds: 60))
      var world = world(issuer)
      let paused = Mutex<[Duration]>([])
      world.pause = { duration in paused.withLock { $0.append(duration) } }
      issuer.fail(KeyIssuerFailure(.unknown, "The response was lost."), only: "mint")
      try await world.apply()
      issuer.fail(nil)
      world.now = start + Interval(seconds: Int64(later))
      #expect(try await world.apply().isComplete)
      #expect(paused.withLock { $0 } == pauses.map { .seconds($0) }, "\(later)")
      #expect(issuer.keys.count == 1)
    }
  }

  @Test("without labels, a key that appeared meanwhile is left to a person, who is told its id") func unexplained()
    async throws
  {
    let issuer = MemoryIssuer(named("issuer"), hasLabels: false)
    let world = world(issuer)
    issuer.addForeign("theirs")
    issuer.loseAnswer()
    try await world.apply()
    let outcome = try await world.apply()
    #expect(outcome.isComplete)
    let place = Destination(type: "issuer", location: "")
    #expect(outcome.reports.first?.note == .unexplainedKeys(["id-1"], at: place))
    #expect(issuer.keys.map(\.id) == ["theirs", "id-1", "id-2"])
    // The next plan names it, too, and the apply of that ends it.
    let (next, said) = try await world.planned()
    #expect(next.steps.map { "\($0.effect.action) \($0.address)" } == ["settle key.a"])
    #expect(said.map(\.issue) == [.key(named("a"), .mintUnexplained(["id-1"], at: "issuer"))])
    #expect(try await world.apply().isComplete)
    #expect(try world.store.recorded().mints.isEmpty)
    #expect(try await world.plan().isEmpty)
    #expect(!issuer.requests.contains { $0.hasPrefix("revoke") })
  }

  @Test(
    "without labels, a key that appeared is named until one is made, also if the next request is lost or refused, too")
  func unexplainedAgain() async throws {
    for kind in [KeyIssuerFailure.Kind.unknown, .refused] {
      let issuer = MemoryIssuer(named("issuer"), hasLabels: false)
      let world = world(issuer)
      issuer.addForeign("theirs")
      issuer.loseAnswer()
      try await world.apply()
      issuer.fail(KeyIssuerFailure(kind, "There are ten keys."), only: "mint")
      let failed = try await world.apply()
      issuer.fail(nil)
      let outcome = try await world.apply()
      #expect(outcome.isComplete)
      let note = StepNote.unexplainedKeys(["id-1"], at: Destination(type: "issuer", location: ""))
      #expect([failed, outcome].allSatisfy { $0.reports.first?.note == note }, "\(kind)")
      #expect(issuer.keys.map(\.id) == ["theirs", "id-1", "id-2"], "\(kind)")
      #expect(try await world.apply().isComplete)
      #expect(try world.store.recorded().mints.isEmpty)
    }
  }

  @Test("a key whose answer was lost is not looked for where the connection leads now, and is not given up")
  func moved() async throws {
    let issuer = MemoryIssuer(named("issuer"))
    var world = world(issuer)
    let place = Destination(type: "issuer", location: "")
    declare(in: &world, at: Destination(type: "issuer", location: "", surface: ExternalAccess(.host, "old.example")))
    issuer.loseAnswer()
    try await world.apply()
    declare(in: &world, at: place)
    let outcome = try await world.apply()
    guard case .failed(.noConnection(let open))? = outcome.reports.first(where: { words($0).hasPrefix("mint") })?.result
    else {
      Issue.record("\(outcome.reports)")
      return
    }
    #expect(open != place && issuer.requests.filter { $0 == "mint" }.count == 1)
    #expect(try world.store.recorded().mints.count == 1)
  }

  @Test("what a provider refuses is reported with its kind, and nothing is left open") func refused() async throws {
    let issuer = MemoryIssuer(named("issuer"))
    let world = world(issuer)
    issuer.fail(KeyIssuerFailure(.throttled, "Too many requests."))
    let outcome = try await world.apply()
    guard case .failed(.outside(let failure))? = outcome.reports.first?.result else {
      Issue.record("\(outcome.reports)")
      return
    }
    #expect(failure.kind == .throttled && failure.reason == "issuer: Too many requests.")
    #expect(try world.store.recorded().mints.isEmpty && (try world.store.recorded().interrupted.isEmpty))
    issuer.fail(nil)
    #expect(try await world.apply().isComplete)
  }

  @Test("several parts are one key: made once, replaced together, and ended once") func parts() async throws {
    let issuer = MemoryIssuer(named("issuer"), parts: ["id", "secret"])
    var world = world(issuer, parts: ["id", "secret"])
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["ID": "id-1", "SECRET": "secret-1"])
    world.now = start + .days(91)
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["ID": "id-2", "SECRET": "secret-2"])
    #expect(issuer.requests == ["mint", "mint", "disable id-1", "revoke id-1"])
    #expect(try await world.plan().isEmpty)
  }

  @Test("a saved plan that was applied makes no second key") func stale() async throws {
    for parts in [["key"], ["id", "secret"]] {
      let issuer = MemoryIssuer(named("issuer"), parts: parts)
      var world = world(issuer, parts: parts)
      try await world.apply()
      world.now = start + .days(91)
      let plan = try await world.plan()
      #expect(try await world.apply(plan).isComplete)
      #expect(try await world.apply(plan).reports.first.map(words) == "mint key.a: stale")
      #expect(issuer.keys.map(\.id) == ["id-2"])
    }
  }

  @Test(
    "whichever effect fails, or after whichever the machine dies: no orphan, and each target always has a working value"
  )
  func broken() async throws {
    for parts in [["key"], ["id", "secret"]] {
      for mode in Faults.Mode.allCases {
        let counting = Faults()
        let (first, plan) = try await due(parts)
        try await first.apply(plan, counting)
        #expect(counting.effects > 8)
        for number in 1...counting.effects {
          let (world, plan) = try await due(parts)
          let issuer = try #require(world.issuer)
          try await world.apply(plan, Faults(mode, at: number))
          for held in [world.held(), world.held(at: place("web"))] {
            #expect(
              held.count == parts.count && held.values.allSatisfy(issuer.accepts), "\(mode) at \(number): \(held)")
          }
          // A lost answer takes one more apply than a lost record.
          for _ in 0..<2 where try await !world.plan().isEmpty { try await world.apply() }
          #expect(try await world.plan().isEmpty, "\(mode) at \(number)")
          #expect(issuer.keys.count == 1, "\(mode) at \(number): \(issuer.keys.map(\.id))")
          let values = issuer.keys.first?.values.values.sorted()
          for held in [world.held(), world.held(at: place("web"))] {
            #expect(held.values.sorted() == values, "\(mode) at \(number)")
          }
        }
      }
    }
  }

  /// A world in which a rotation is due, with the plan for it.
  private func due(_ parts: [String]) async throws -> (World, Plan) {
    var world = world(MemoryIssuer(named("issuer"), parts: parts), parts: parts)
    try await world.apply()
    world.now = start + .days(91)
    return (world, try await world.plan())
  }

  @Test("a key that is no longer declared is withdrawn and revoked, and then forgotten") func leaving() async throws {
    var world = world()
    world.declare("b")
    world.say("other", at: "b")
    try await world.apply()
    world.keys[named("a")] = nil
    world.targets = [:]
    world.allowances.forget = true
    #expect(try await world.apply().isComplete)
    #expect(world.issuer?.keys.isEmpty == true && world.held() == [:])
    #expect(try world.store.recorded().keys.keys.map(\.name) == ["b"])
  }

  @Test("only keys that are recorded, and not in use, are ended: a plan that says otherwise is stale") func foreign()
    async throws
  {
    let world = world()
    try await world.apply()
    let revision = try world.store.recorded().keys[named("a")]?.revision
    let place = Destination(type: "issuer", location: "")
    for id in ["id-1", "theirs"] {
      let end = IssuedKeys(keys: [.init(place: place, id: id)])
      let plan = Plan(steps: [
        Step(.outside(.end(named("a"), end)), because: .follows, on: Precondition(revision: revision))
      ])
      #expect(try await world.apply(plan).reports.map(words) == ["revokeIssued key.a: stale"])
    }
    #expect(world.issuer?.requests == ["mint"])
  }

  @Test("a key that ends is renewed while that helps, and replaced before its end") func renewing() async throws {
    let issuer = MemoryIssuer(named("issuer"), canRenew: true)
    var world = world(issuer, expiry: nil)
    issuer.endKeys(at: start + .days(30))
    #expect(try await world.apply().isComplete)
    world.now = start + .days(20)
    issuer.endKeys(at: start + .days(50))
    #expect(try await world.apply().reports.map(words) == ["renew key.a: done"])
    let renewed = try #require(try world.store.recorded().keys[named("a")]?.issued.first)
    #expect(renewed.expires == start + .days(50) && renewed.renewedAt == world.now && !renewed.isEnding)
    #expect(try await world.plan().isEmpty)
    // The provider's limit.
    world.now = start + .days(40)
    #expect(try await world.apply().isComplete)
    #expect(try world.store.recorded().keys[named("a")]?.issued.first?.isEnding == true)
    world.now = start + .days(47)
    issuer.endKeys(at: start + .days(77))
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["KEY": "key-2"] && issuer.requests.filter { $0.hasPrefix("renew") }.count == 2)
  }

  @Test("a leased key that somebody revoked is broken until the next apply has another one made")
  func revokedThere() async throws {
    let issuer = MemoryIssuer(named("issuer"), canRenew: true)
    let world = world(issuer, expiry: nil)
    issuer.endKeys(at: start + .days(30))
    #expect(try await world.apply().isComplete)
    func drift() async throws -> Drift {
      Finding.drift(of: world.manifest, in: try await world.observe(), at: world.now)
    }
    var found = try await drift()
    #expect(found.findings.isEmpty && found.left.isWhole)
    // An outage is no answer.
    issuer.fail(KeyIssuerFailure(.unreachable, "It is off."), only: "exists id-1")
    found = try await drift()
    #expect(found.findings.isEmpty && found.left.notLookedUp.count == 1 && !found.left.isWhole)
    #expect(try await world.plan().isEmpty)
    issuer.fail(nil)
    issuer.removeKey("id-1")
    #expect(try await drift().findings.map { "\($0.kind) \($0.address) \($0.level)" } == ["keyInvalid key.a broken"])
    let outcome = try await world.apply()
    #expect(
      outcome.reports.map(words) == [
        "mint key.a: done", "replace key.a: done", "sync target.app: done", "sync target.web: done",
        "disableIssued key.a: done",
        "revokeIssued key.a: done",
      ])
    #expect(world.held() == ["KEY": "key-2"] && issuer.keys.map(\.id) == ["id-2"])
    found = try await drift()
    #expect(found.findings.isEmpty && found.left.isWhole)
  }

  @Test("keys that cannot be renewed are not looked up: a plan needs no administrator's credential")
  func notLookedUp() async throws {
    let issuer = MemoryIssuer(named("issuer"))
    let world = world(issuer, expiry: nil)
    issuer.endKeys(at: start + .days(30))
    #expect(try await world.apply().isComplete)
    issuer.removeKey("id-1")
    #expect(try await world.plan().isEmpty)
    #expect(!issuer.requests.contains { $0.hasPrefix("exists") })
  }

  @Test("a plan's id differs by what is made and by what ends") func identity() async throws {
    let (world, plan) = try await due(["key"])
    let store = try #require(try world.store.recorded().store)
    func id(_ plan: Plan) -> String {
      PlanId(of: plan, store: store, environment: nil, isTrusted: true, signing: world.store).description
    }
    #expect(id(plan) == id(plan))
    for index in plan.steps.indices {
      var steps = plan.steps
      steps.remove(at: index)
      #expect(id(Plan(steps: steps)) != id(plan))
    }
  }
}
