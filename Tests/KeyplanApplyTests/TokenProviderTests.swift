import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

@Suite("Keeping a token good, outside of a plan")
struct TokenKeepingTests {
  typealias Rotation = MemoryAccountService.Rotation

  private func world(_ rotation: Rotation = .strict) async throws -> World {
    var world = World(rotation)
    world.service.put([own], at: google.account)
    try world.declareAccount()
    #expect(try await world.signIn().isComplete)
    return world
  }

  private func over(_ world: World) -> World {
    var world = world
    world.now = world.now + MemoryAccountService.lifetime
    return world
  }

  @Test("one that is good is given as it is, and nobody is asked")
  func fresh() async throws {
    let world = try await world()
    let serial = try world.serial
    #expect(try await world.kept() == "fresh a-2")
    #expect(world.service.refreshes.isEmpty)
    #expect(try world.serial == serial)
  }

  @Test(
    "five minutes before its end the next one is got and written down before it is given", arguments: Rotation.allCases)
  func refreshed(rotation: Rotation) async throws {
    var world = try await world(rotation)
    world.now = world.now + MemoryAccountService.lifetime - Interval(seconds: 301)
    #expect(try await world.kept().hasPrefix("fresh"))
    world.now = world.now + Interval(seconds: 1)
    let kept = try await world.kept()
    #expect(kept.hasPrefix("refreshed"))
    let tokens = try world.tokens()
    #expect(kept == "refreshed \(tokens[0] ?? "")")
    // A refresh token is never overwritten with nothing.
    #expect(tokens[1] != nil && (tokens[1] == "r-1") == (rotation == .never), "\(tokens)")
    #expect(try world.account()?.signIn?.epoch == 2)
    #expect(try world.account()?.signIn?.refreshBegan == nil)
    world.now = world.now + MemoryAccountService.lifetime
    #expect(try await world.kept().hasPrefix("refreshed"))
  }

  @Test("a service that is away changes nothing, and what is still good is given")
  func away() async throws {
    var world = try await world()
    let before = try world.tokens()
    world.service.fail(.unreachable("It is away."), at: google.account)
    world.now = world.now + MemoryAccountService.lifetime - Interval(seconds: 60)
    #expect(try await world.kept() == "unreachable, live a-2")
    world = over(world)
    #expect(try await world.kept() == "unreachable")
    #expect(try world.tokens() == before)
    #expect(try world.account()?.signIn?.ended == nil)
    world.service.fail(nil, at: google.account)
    #expect(try await world.kept().hasPrefix("refreshed"))
  }

  @Test("an answer that is lost is told as that, where it had the only token", arguments: Rotation.allCases)
  func lost(rotation: Rotation) async throws {
    var world = over(try await world(rotation))
    world.service.fail(.losesAnswers, at: google.account)
    #expect(try await world.kept() == "unreachable")
    world.service.fail(nil, at: google.account)
    #expect(try await world.kept().hasPrefix(rotation == .strict ? "needs rotationLost" : "refreshed"))
    if rotation == .strict { #expect(try world.tokens()[1] != nil, "what is stored stays until somebody signs in") }
    #expect(try await world.signIn().isComplete)
    #expect(try await world.kept().hasPrefix("fresh"))
  }

  @Test("a process that died before it wrote the answer down is told as that, too", arguments: Rotation.allCases)
  func died(rotation: Rotation) async throws {
    let world = over(try await world(rotation))
    // It got as far as the answer.
    let before = world.store.copy()
    _ = try await world.kept()
    try world.begin(before)
    #expect(try await world.kept(in: before).hasPrefix(rotation == .strict ? "needs rotationLost" : "refreshed"))
  }

  @Test("what a service has ended is not asked for again, and a person is named")
  func ended() async throws {
    let world = over(try await world())
    world.service.endAll(of: google.account)
    #expect(try await world.kept() == "needs ended invalid_grant")
    #expect(try await world.kept() == "needs ended invalid_grant")
    #expect(world.service.refreshes.count == 1)
    #expect(try world.tokens()[1] == "r-1")
  }

  @Test("a client that is refused is remembered with the time of the first no, and asked for again")
  func clientRefused() async throws {
    var world = over(try await world())
    world.service.fail(.notAllowed("No."), at: google.account)
    #expect(try await world.kept() == "refused client invalid_client 0")
    world.now = world.now + Interval(seconds: 60)
    #expect(try await world.kept() == "refused client invalid_client 60")
    #expect(try world.tokens()[1] == "r-1")
    world.service.fail(nil, at: google.account)
    #expect(try await world.kept().hasPrefix("refreshed"))
    #expect(try world.account()?.refusal == nil)
  }

  @Test("without a refresh token, a token that is still good is not called expired")
  func notRefreshable() async throws {
    var world = try await world()
    var record = try #require(try world.account())
    record.signIn?.isRefreshable = false
    let serial = try world.serial
    record.revision = serial + 1
    _ = try world.store.commit(
      [.account(named("home"), record, tokens: AccountTokens(access: SecretBox(Array("a-9".utf8)), refresh: nil))],
      expecting: serial, at: world.now)
    #expect(try await world.kept() == "fresh a-9")
    let until: Moment? = if case .until(let end) = record.signIn?.access { end } else { nil }
    let end = try #require(until)
    let need = try await world.need(isForced: true)
    #expect(need?.reason == .notRefreshable && need?.until == end)
    world.now = end
    #expect(try await world.need(isForced: true)?.until == nil)
  }

  @Test("what another program has stored meanwhile is used, and its refusal of ours is no end")
  func faster() async throws {
    let world = over(try await world())
    let before = world.store.copy()
    #expect(try await world.kept().hasPrefix("refreshed"))
    // Read before, asked after: our token is used up, and the store has the next one.
    #expect(try await world.kept(reading: before, isForced: true).hasPrefix("refreshed"))
    let signIn = try #require(try world.account()?.signIn)
    #expect(signIn.ended == nil && signIn.refreshBegan == nil)
  }

  @Test("past the end of a policy that retires it, a sign-in gives no token, and nobody is asked for one")
  func retired() async throws {
    for then in [Expiry.Consequence.retire, .warn] {
      var world = try await world()
      try world.declareAccount(expiry: Expiry(.after(.days(90)), warn: .days(14), then: then))
      #expect(try await world.kept() == "fresh a-2")
      world.now = world.now + .days(91)
      #expect(try await world.kept(isForced: true).hasPrefix(then == .retire ? "needs tooOld" : "refreshed"))
      #expect(try await world.kept().hasPrefix(then == .retire ? "needs tooOld" : "fresh"))
      #expect(world.service.refreshes.count == (then == .retire ? 0 : 1))
    }
  }

  @Test("a token that was got while the clock was ahead is replaced once the clock is right again")
  func ahead() async throws {
    var world = try await world()
    world.now = world.now + .days(1)
    #expect(try await world.kept().hasPrefix("refreshed"))
    world.now = world.now - .days(1)
    #expect(try await world.kept().hasPrefix("refreshed"))
    #expect(try await world.kept().hasPrefix("fresh"))
  }

  @Test("a token that the service refuses is replaced once, however many find that out")
  func refused() async throws {
    let world = try await world()
    let next = try await world.kept(insteadOf: "a-2")
    #expect(next.hasPrefix("refreshed"))
    #expect(try await world.kept(insteadOf: "a-2") == next.replacing("refreshed", with: "fresh"))
    #expect(world.service.refreshes.count == 1)
  }

  @Test("nobody is contacted, and nothing run, that is not allowed yet")
  func allowed() async throws {
    var world = World()
    try world.declareAccount(signIn: .serviceAccount, isAllowed: false)
    #expect(try await world.kept().hasPrefix("not allowed host "))
    var other = try await self.world()
    try other.declareAccount(secrets: Account.Secrets(client: command("secret")), isAllowed: false)
    #expect(try await over(other).kept() == "not allowed command secret")
    #expect(world.service.refreshes.isEmpty && other.service.refreshes.isEmpty)
  }

  @Test("an account of its own gets its first token without a person; others do not")
  func first() async throws {
    var world = World()
    world.service.put([own], at: google.account)
    try world.declareAccount(signIn: .serviceAccount)
    #expect(try await world.kept().hasPrefix("refreshed"))
    #expect(try await world.kept().hasPrefix("fresh"))
    try world.declareAccount("other")
    #expect(try await world.kept("other") == "needs never ")
    try world.declareAccount(
      "mine", AccountFacts(service: .caldav, account: "ada", url: "https://dav.example"), signIn: .password)
    #expect(try await world.kept("mine") == "no tokens")
  }
}

extension World {
  /// In short.
  fileprivate func kept(
    _ name: String = "home", in other: MemoryStore? = nil, reading before: MemoryStore? = nil, isForced: Bool = false,
    insteadOf refused: String? = nil
  ) async throws -> String {
    let (store, now) = (other ?? store, now)
    let keeping = TokenProvider(
      observer: observer(), manifest: manifest, clock: { now }, read: { before ?? store },
      write: { _, work throws(StoreError) in try work(store) })
    func text(_ token: SecretBox) -> String { token.withBytes { String(decoding: $0, as: UTF8.self) } }
    switch try await keeping.keep(
      named(name), isForced: isForced, insteadOf: refused.map { SecretBox(Array($0.utf8)) })
    {
    case .fresh(let token): return "fresh \(text(token))"
    case .refreshed(let token): return "refreshed \(text(token))"
    case .needsPerson(let need, let code): return "needs \(need.reason) \(code)"
    case .refused(let refusal, _): return "refused \(refusal.reason) \(refusal.code) \((now - refusal.since).seconds)"
    case .failed(_, _, true, let live): return "unreachable" + (live.map { ", live \(text($0))" } ?? "")
    case .failed(let reason, _, false, _): return "failed \(reason)"
    case .notAllowedYet(let item): return "not allowed \(item)"
    case .noTokens: return "no tokens"
    }
  }

  /// Why a person is needed.
  fileprivate func need(isForced: Bool) async throws -> AccountNeed? {
    let (store, now) = (store, now)
    let provider = TokenProvider(
      observer: observer(), manifest: manifest, clock: { now }, read: { store },
      write: { _, work throws(StoreError) in try work(store) })
    guard case .needsPerson(let need, _) = try await provider.keep(named("home"), isForced: isForced) else {
      return nil
    }
    return need
  }

  /// Has a store say that a refresh has begun.
  fileprivate func begin(_ before: MemoryStore) throws {
    var record = try #require(try before.recorded().accounts[named("home")])
    record.signIn = record.signIn?.beginningRefresh(at: now)
    let serial = try before.recorded().store?.serial ?? 0
    _ = try before.commit([.account(named("home"), record, tokens: nil)], expecting: serial, at: now)
  }
}
