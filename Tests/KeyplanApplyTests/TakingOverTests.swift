import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

/// Another program's refresh token, taken over once, proved at the service, and gone from where it was only then.
@Suite struct TakingOverTests {
  private func steps(_ plan: Plan) -> [String] { plan.steps.map { "\($0.effect.action) \($0.address)" } }

  private func world(
    _ rotation: MemoryAccountService.Rotation = .strict, isRemoved: Bool = true
  ) throws -> World {
    var world = World(rotation)
    world.service.put([own, team], at: google.account)
    try world.declareAccount()
    try world.takeOver(isRemoved: isRemoved)
    return world
  }

  private let all = [
    "adoptToken calendar.home", "refresh calendar.home", "select calendar.home", "remove migration.1",
  ]

  @Test("taken over, used, and then removed", arguments: MemoryAccountService.Rotation.allCases)
  func whole(rotation: MemoryAccountService.Rotation) async throws {
    let world = try world(rotation)
    let plan = try await world.plan()
    #expect(steps(plan) == all)
    #expect(plan.steps.map(\.cause) == [.migration, .manifest, .manifest, .migration])
    #expect(plan.steps.last?.after.contains(.calendar(named("home"))) == true)
    #expect(try await world.apply(plan).isComplete)
    #expect(await world.original("old") == nil)
    #expect(try world.tokens()[1] == (rotation == .never ? "theirs" : "r-1"))
    #expect(world.service.refreshes.count == 1)
    #expect(try await world.plan().isEmpty)
    #expect(try await world.findings() == [])
    // What comes back there is nobody's business, and the next refresh is with what the service gave.
    var later = world
    later.now = start + .days(1)
    later.say("theirs", at: "old")
    #expect(steps(try await later.plan()) == ["refresh calendar.home"])
    #expect(try await later.apply().isComplete)
    #expect(await later.original("old") == "theirs")
  }

  @Test("kept: once, whatever becomes of it and of the account")
  func kept() async throws {
    var world = try world(isRemoved: false)
    #expect(steps(try await world.plan()) == all.dropLast())
    #expect(try await world.apply().isComplete)
    #expect(await world.original("old") == "theirs")
    world.service.endAll(of: google.account)
    world.now = start + .days(1)
    try await world.apply()
    world.say("another", at: "old")
    #expect(steps(try await world.plan()) == ["authorize calendar.home"])
  }

  @Test("a token that the service does not take stays where it is, and a person is asked for")
  func refused() async throws {
    let world = try world()
    world.service.endAll(of: google.account)
    let outcome = try await world.apply()
    #expect(
      outcome.reports.map(words) == [
        "adoptToken calendar.home: done", "refresh calendar.home: needs a person", "select calendar.home: not tried",
        "remove migration.1: not tried",
      ])
    #expect(await world.original("old") == "theirs")
    #expect(steps(try await world.plan()) == ["authorize calendar.home"])
    #expect(world.service.refreshes.count == 1)
    // Somebody signs in: what is left belongs to another sign-in.
    var next = world
    try await next.signIn()
    let (plan, diagnostics) = try await next.planned()
    #expect(plan.isEmpty)
    #expect(diagnostics.map(\.code) == [.changedByOthers])
    #expect(await next.original("old") == "theirs")
  }

  @Test("what cannot be taken over is said, and a person is asked for")
  func faults() async throws {
    let world = try world()
    for (script, code) in [
      (.missing, .secretNotFound), (.unreachable("Down."), .sourceUnreachable), (.unreadable("No."), .sourceUnreadable),
      (.value(Array("?".utf8)), .sourceUnreadable),
    ] as [(MemorySource.Script, Diagnostic.Code)] {
      world.source.say(script, to: remote("old"))
      let (plan, diagnostics) = try await world.planned()
      #expect(steps(plan) == ["authorize calendar.home"])
      #expect(diagnostics.map(\.code) == [code])
    }
  }

  @Test("an account that somebody has signed in is left alone")
  func signedIn() async throws {
    var world = World()
    world.service.put([own], at: google.account)
    try world.declareAccount()
    try await world.signIn()
    try world.takeOver(isRemoved: false)
    #expect(try await world.planned().plan.isEmpty)
    #expect(try await world.planned().diagnostics == [])
    world.migrations = []
    try world.takeOver()
    #expect(try await world.planned().plan.isEmpty)
    #expect(try await world.planned().diagnostics.map(\.code) == [.changedByOthers])
  }

  @Test("changed after the plan: stale, and whole")
  func stale() async throws {
    let world = try world()
    let plan = try await world.plan()
    world.say("others", at: "old")
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.first.map(words) == "adoptToken calendar.home: stale")
    #expect(world.service.refreshes == [])
    world.say("theirs", at: "old")
    try await world.apply(Plan(steps: plan.steps.dropLast()))
    #expect(try await world.findings().map { "\($0.kind) \($0.address)" } == ["originalLeft migration.1"])
    let rest = try await world.plan()
    #expect(steps(rest) == ["remove migration.1"])
    world.say("others", at: "old")
    #expect(try await world.apply(rest).reports.map(words) == ["remove migration.1: stale"])
    #expect(await world.original("old") == "others")
    #expect(try await world.planned().diagnostics.map(\.code) == [.changedByOthers])
    // The whole plan again: nothing is taken over twice.
    world.say("theirs", at: "old")
    #expect(try await world.apply(plan).reports.first.map(words) == "adoptToken calendar.home: stale")
    #expect(world.service.refreshes.count == 1)
  }

  @Test("a removal alone, of a token that was never used, is not done")
  func unused() async throws {
    let world = try world()
    let plan = try await world.plan()
    try await world.apply(Plan(steps: [plan.steps[0]]))
    #expect(try await world.apply(Plan(steps: [plan.steps[3]])).reports.map(words) == ["remove migration.1: stale"])
    #expect(await world.original("old") == "theirs")
    let rest = try await world.plan()
    #expect(steps(rest) == Array(all.dropFirst()))
    #expect(try await world.apply(rest).isComplete)
    #expect(await world.original("old") == nil)
  }

  @Test("what the store does not give back is not removed")
  func readBack() async throws {
    let world = try world()
    let applier = Applier(
      store: ForgetfulTokens(store: world.store), observer: world.observer(), manifest: world.manifest, clock: { start }
    )
    let outcome = try await applier.apply(try await world.plan())
    #expect(outcome.reports.last.map(words) == "remove migration.1: failed")
    #expect(await world.original("old") == "theirs")
  }

  @Test("an original that somebody else needs is not removed")
  func needed() async throws {
    var world = try world()
    try world.declareAccount(
      "club", AccountFacts(service: .google, account: "bob@gmail.com", client: "1"),
      secrets: Account.Secrets(client: remote("old")))
    #expect(try await world.planned().diagnostics.map(\.code) == [.removalRefused])
    world.accounts[named("club")] = nil
    world.adopt("k", from: "old", isRemoved: false)
    let plan = try await world.plan()
    #expect(plan.steps.last?.effect.action == .remove)
    #expect(plan.steps.last?.after.contains(.key(named("k"))) == true)
    #expect(try await world.apply(plan).isComplete)
    #expect(try world.kept() == ["theirs"])
    #expect(await world.original("old") == nil)
  }

  @Test("a file in which other sign-ins are is not removed")
  func sharedSignIns() async throws {
    var world = try world()
    world.say("+theirs", at: "old")
    #expect(try await world.planned().diagnostics.map(\.code) == [.removalRefused])
    world.say("theirs", at: "old")
    let plan = try await world.plan()
    world.say("+theirs", at: "old")
    #expect(try await world.apply(plan).reports.last.map(words) == "remove migration.1: failed")
    #expect(await world.original("old") == "+theirs")
    world.migrations = []
    try world.takeOver(isRemoved: false)
    world.say("+theirs", at: "old")
    #expect(try await world.planned().diagnostics == [])
  }

  @Test("a file outside is read and removed only once that is allowed, by the same plan")
  func outside() async throws {
    var world = try world()
    let file = Reference(scheme: "mem", location: "old", isLocal: true, surface: ExternalAccess(.path, "old"))
    world.migrations = [Migration(1, .place(file, isRemoved: true), to: .account(named("home")))]
    world.source.say(.value(Array("theirs".utf8)), to: file)
    let plan = try await world.plan()
    #expect(steps(plan) == ["allow surface.path old"] + all)
    #expect(plan.steps.map(\.ground.source) == Array(repeating: nil, count: 5))
    #expect(!world.source.batches.contains([file]))
    // Changed before it was ever looked at for its removal.
    try await world.apply(Plan(steps: plan.steps.dropLast()))
    world.source.say(.value(Array("others".utf8)), to: file)
    let removal = Plan(steps: plan.steps.suffix(1))
    #expect(try await world.apply(removal).reports.map(words) == ["remove migration.1: stale"])
    world.source.say(.value(Array("theirs".utf8)), to: file)
    #expect(try await world.apply(removal).isComplete)
    guard case .missing = await world.source.read([file])[0] else {
      Issue.record("it is still there")
      return
    }
    #expect(try await world.plan().isEmpty)
  }

  @Test("a selection brings along what it stands on")
  func selected() async throws {
    var world = try world()
    world.declare("z")
    world.say("z", at: "z")
    let recorded = try world.store.recorded()
    for (address, expected) in [(.migration(1), all), (.calendar(named("home")), Array(all.dropLast()))]
      as [(Address, [String])]
    {
      let selection = Selection([address], in: world.manifest, recorded: recorded)
      #expect(steps(try await world.plan().limited(to: selection)) == expected)
    }
  }

  @Test(
    "whatever fails, and after whatever the machine dies, the next run goes on with the newest token",
    arguments: Faults.Mode.allCases, MemoryAccountService.Rotation.allCases)
  func broken(mode: Faults.Mode, rotation: MemoryAccountService.Rotation) async throws {
    let counting = Faults()
    let unbroken = try world(rotation)
    try await unbroken.apply(try await unbroken.plan(), counting)
    #expect(counting.effects > 8)
    for number in 1...counting.effects {
      let words = Comment("\(mode) at \(number), \(rotation)")
      let world = try world(rotation)
      let outcome = try await world.apply(try await world.plan(), Faults(mode, at: number))
      let isGone = await world.original("old") == nil
      let began = try world.account()?.signIn
      // Gone only when what the service answered is stored.
      if isGone { #expect(began?.refreshedAt != nil, words) }
      // Where the very answer was lost and the service rotates strictly, nobody can have the next token.
      let isLost = rotation == .strict && world.service.refreshes.count == 1 && began?.refreshedAt == nil
      for _ in 0..<2 { _ = try await world.apply() }
      let plan = try await world.plan()
      if isLost {
        #expect(steps(plan) == ["authorize calendar.home"], words)
        #expect(await world.original("old") == "theirs", words)
        #expect(try world.account()?.signIn?.ended?.reason == .rotationLost, words)
        continue
      }
      #expect(plan.isEmpty, "\(words) \(plan.steps) \(outcome)")
      #expect(await world.original("old") == nil, words)
      #expect(try world.account()?.calendar == own, words)
      #expect(try world.store.recorded().migrated.count == 1, words)
      #expect(try world.store.recorded().interrupted.isEmpty, words)
      let isRepeated = began?.refreshedAt == nil
      #expect(world.service.refreshes.count <= (isRepeated ? 2 : 1), words)
    }
  }

  /// A store that gives other tokens than those it took.
  private struct ForgetfulTokens: RecordStore, TokenStore, Fingerprinting {
    let store: MemoryStore

    func recorded() throws(StoreError) -> Recorded { try store.recorded() }

    func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox {
      try store.value(of: key, version: version)
    }

    func commit(_ changes: [RecordChange], expecting serial: Int64, at now: Moment) throws(StoreError) -> Int64 {
      try store.commit(changes, expecting: serial, at: now)
    }

    func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
      store.fingerprint(value, of: key)
    }

    func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
      store.fingerprint(token, of: account)
    }

    func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens? {
      try store.tokens(of: account).map { tokens in
        // As it was before the service answered, once it has.
        tokens.access == nil ? tokens : AccountTokens(access: tokens.access, refresh: secret("theirs"))
      }
    }
  }
}
