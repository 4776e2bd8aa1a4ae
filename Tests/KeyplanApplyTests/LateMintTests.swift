import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import TestTools
import Testing

/// Requests for keys that a provider carries out only after the next apply has listed its keys and made another one.
@Suite struct LateMintTests {
  private let issuer: MemoryIssuer
  private var world = World()
  private let place = Destination(type: "issuer", location: "")
  private let later = start + MintAttempt.patience

  init() { self.init(hasLabels: true) }

  private init(hasLabels: Bool) {
    issuer = MemoryIssuer(named("issuer"), hasLabels: hasLabels)
    world.issuer = issuer
    declare()
  }

  private mutating func declare() {
    let minting = Minting(named("a"), [Minting.Part("key", named("a"))], at: place)
    let facts = KeyFacts(
      provider: "openai", variable: "KEY", expiry: Expiry(.after(.days(90)), warn: Interval(seconds: 0), then: .rotate),
      sources: [minting.description])
    world.keys[named("a")] = Key(facts: facts, sources: [], minting: minting)
    world.send("app", ["KEY": "a"])
  }

  private func mints() throws -> [MintAttempt] { Array(try world.store.recorded().mints.values) }

  /// The next apply makes another key, and the delayed request is still on its way.
  private func delayed() async throws {
    issuer.addForeign("theirs")
    issuer.delayRequest()
    #expect(try await world.apply().reports.first.map(words) == "mint key.a: failed")
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["KEY": "key-2"] && issuer.keys.map(\.id) == ["theirs", "id-2"])
    #expect(try mints().map(\.late.count) == [1])
    #expect(try await world.plan().isEmpty)
  }

  private func drift() async throws -> [FindingFact] {
    Finding.drift(of: world.manifest, in: try await world.observe(), at: world.now).findings.map(\.fact)
  }

  @Test("an hour later they are looked for by their labels and revoked, once") mutating func found() async throws {
    try await delayed()
    issuer.carryOutDelayed()
    #expect(try await drift() == [])
    world.now = later - Interval(seconds: 1)
    #expect(try await world.plan().isEmpty)
    world.now = later
    let plan = try await world.plan()
    #expect(plan.steps.map { "\($0.effect.action) \($0.address)" } == ["settle key.a"])
    #expect(try await drift() == (try mints()).map(FindingFact.mintLost))
    #expect(try await world.apply(plan).isComplete)
    #expect(issuer.keys.map(\.id) == ["theirs", "id-2"] && world.held() == ["KEY": "key-2"])
    #expect(issuer.requests.filter { $0.hasPrefix("revoke") } == ["revoke id-1"])
    #expect(try mints() == [])
    #expect(try await world.plan().isEmpty)
    #expect(try await drift() == [])
    #expect(try await world.apply(plan).reports.map(words) == ["settle key.a: stale"])
  }

  @Test("where none has come, nothing is revoked and the request is forgotten") mutating func never() async throws {
    try await delayed()
    world.now = later
    #expect(try await world.apply().isComplete)
    #expect(try mints() == [] && issuer.keys.count == 2)
    #expect(!issuer.requests.contains { $0.hasPrefix("revoke") })
  }

  @Test("the next key that is made cleans up itself, and looks for all of them") mutating func again() async throws {
    try await delayed()
    world.now = start + .days(91)
    issuer.delayRequest()
    #expect(try await world.apply().reports.first.map(words) == "mint key.a: failed")
    #expect(try mints().map(\.late.count) == [1])
    #expect(try await world.apply().isComplete == true)
    #expect(try mints().map(\.late.count) == [2])
    issuer.carryOutDelayed()
    world.now = start + .days(91) + MintAttempt.patience
    #expect(try await world.apply().isComplete)
    let record = try #require(try world.store.recorded().keys[named("a")])
    #expect(Set(issuer.keys.map(\.id)) == Set(record.issued.map(\.id) + ["theirs"]))
    #expect(try mints() == [])
  }

  @Test("a provider that refuses the next key does not make the request be forgotten") mutating func refused()
    async throws
  {
    try await delayed()
    world.now = start + .days(91)
    issuer.fail(KeyIssuerFailure(.refused, "There are ten keys."), only: "mint")
    #expect(try await !world.apply().isComplete)
    issuer.fail(nil)
    issuer.carryOutDelayed()
    #expect(try mints().map(\.late.count) == [1])
    for _ in 1...2 { _ = try await world.apply() }
    #expect(!issuer.keys.map(\.id).contains("id-1"))
  }

  @Test("an error while looking leaves the step to the next apply") mutating func unreachable() async throws {
    for failing in ["list", "revoke id-1"] {
      var test = LateMintTests()
      try await test.delayed()
      test.issuer.carryOutDelayed()
      test.world.now = later
      test.issuer.fail(KeyIssuerFailure(.unreachable, "It is off."), only: failing)
      #expect(try await test.world.apply().reports.map(words) == ["settle key.a: failed"])
      #expect(try test.mints().count == 1)
      let (facts, mints) = (try await test.drift(), try test.mints())
      #expect(facts.count == 2 && mints.map(FindingFact.mintLost).allSatisfy(facts.contains))
      test.issuer.fail(nil)
      #expect(try await test.world.apply().isComplete)
      #expect(test.issuer.keys.map(\.id) == ["theirs", "id-2"])
      #expect(try test.mints() == [])
    }
  }

  @Test("whichever effect of that fails, or after whichever the machine dies, the late key ends") func broken()
    async throws
  {
    for mode in Faults.Mode.allCases {
      let counting = Faults()
      var first = LateMintTests()
      try await first.delayed()
      first.issuer.carryOutDelayed()
      first.world.now = later
      try await first.world.apply(try await first.world.plan(), counting)
      #expect(counting.effects >= 3)
      for number in 1...counting.effects {
        var test = LateMintTests()
        try await test.delayed()
        test.issuer.carryOutDelayed()
        test.world.now = later
        try await test.world.apply(try await test.world.plan(), Faults(mode, at: number))
        for _ in 0..<2 where try await !test.world.plan().isEmpty { try await test.world.apply() }
        #expect(try await test.world.plan().isEmpty, "\(mode) at \(number)")
        #expect(test.issuer.keys.map(\.id) == ["theirs", "id-2"], "\(mode) at \(number)")
        #expect(try test.mints() == [], "\(mode) at \(number)")
      }
    }
  }

  @Test("without labels, what has appeared by then is named, and left to a person") func unexplained() async throws {
    var test = LateMintTests(hasLabels: false)
    try await test.delayed()
    test.issuer.carryOutDelayed()
    test.world.now = later
    let outcome = try await test.world.apply()
    #expect(outcome.reports.map(words) == ["settle key.a: done"])
    #expect(outcome.reports.first?.note == .unexplainedKeys(["id-1"], at: place))
    #expect(test.issuer.keys.map(\.id) == ["theirs", "id-2", "id-1"])
    let (next, said) = try await test.world.planned()
    #expect(next.steps.map { "\($0.effect.action) \($0.address)" } == ["settle key.a"])
    #expect(said.map(\.issue) == [.key(named("a"), .mintUnexplained(["id-1"], at: "issuer"))])
    #expect(try await test.world.apply().isComplete)
    #expect(try test.mints() == [])
    #expect(try await test.world.plan().isEmpty)
    #expect(!test.issuer.requests.contains { $0.hasPrefix("revoke") })
  }

  @Test("a key that is no longer declared is looked for, too, as long as its connection is") mutating func undeclared()
    async throws
  {
    try await delayed()
    issuer.carryOutDelayed()
    (world.keys, world.targets) = ([:], [:])
    world.declare("b")
    world.say("other", at: "b")
    world.allowances.forget = true
    world.now = later
    #expect(try await world.apply().isComplete)
    #expect(issuer.keys.map(\.id) == ["theirs"])
    #expect(try mints() == [])
  }
}
