import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import Testing

@Suite("Applying to calendar accounts")
struct AccountApplyingTests {
  private func steps(_ plan: Plan) -> [String] { plan.steps.map { "\($0.effect.action) \($0.address)" } }

  /// Signed in, its calendar chosen.
  private func settled(_ rotation: MemoryAccountService.Rotation = .strict) async throws -> World {
    var world = World(rotation)
    world.service.put([own, team], at: google.account)
    try world.declareAccount()
    let outcome = try await world.signIn()
    #expect(outcome.reports.map(words) == ["authorize calendar.home: done", "select calendar.home: done"])
    return world
  }

  @Test("without a person nothing is done, and that is what is said")
  func unattended() async throws {
    var world = World()
    try world.declareAccount()
    let plan = try await world.plan()
    #expect(steps(plan) == ["authorize calendar.home"])
    let serial = try world.serial
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(\.result) == [.needsPerson(AccountNeed(facts: google, reason: .never))])
    #expect(try world.serial == serial)
    #expect(try world.account() == nil)
    #expect(world.service.refreshes == [])
  }

  @Test("a sign-in is recorded with its tokens, and then nothing is left")
  func signedIn() async throws {
    let world = try await settled()
    #expect(try world.tokens() == ["a-2", "r-1"])
    let record = try #require(try world.account())
    #expect(record.calendar == own)
    #expect(record.revision == (try world.serial))
    #expect(record.signIn?.access == .until(start + MemoryAccountService.lifetime))
    #expect(try await world.plan().isEmpty)
    #expect(try await world.findings() == [])
  }

  @Test(
    "looking at an account whose token is over asks nobody; an apply refreshes once",
    arguments: MemoryAccountService.Rotation.allCases)
  func refreshing(rotation: MemoryAccountService.Rotation) async throws {
    var world = try await settled(rotation)
    world.now = start + .days(1)
    let asked = world.service.asked
    let plan = try await world.plan()
    #expect(steps(plan) == ["refresh calendar.home"])
    #expect(try await world.findings() == [])
    #expect(world.service.asked == asked)
    #expect(world.service.refreshes == [])
    #expect(try await world.apply(plan).isComplete)
    #expect(world.service.refreshes == [named("home")])
    #expect(try world.tokens()[1] == (rotation == .never ? "r-1" : "r-3"))
    let signIn = try #require(try world.account()?.signIn)
    #expect(signIn.refreshBegan == nil)
    #expect(signIn.epoch == 2)
    #expect(try await world.plan().isEmpty)
    // The next one works too: what was stored is what the service knows.
    world.now = start + .days(2)
    #expect(try await world.apply().isComplete)
    #expect(try await world.plan().isEmpty)
  }

  @Test("somebody who was faster is not followed by a second request")
  func faster() async throws {
    var world = try await settled()
    world.now = start + .days(1)
    let plan = try await world.plan()
    try await world.apply(try await world.plan())
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(\.result) == [.done])
    #expect(world.service.refreshes.count == 1)
    #expect(try world.account()?.signIn?.refreshBegan == nil)
  }

  @Test("a service that is away keeps everything, and is never taken for its no")
  func away() async throws {
    var world = try await settled()
    world.service.fail(.unreachable("It is away."), at: google.account)
    #expect(try await world.findings() == [])
    #expect(try await world.planned().diagnostics.map(\.code) == [.accountUnreachable])
    world.now = start + .days(1)
    let before = try world.tokens()
    let outcome = try await world.apply()
    #expect(outcome.reports.map(\.result) == [.failed(.reported(reason: "It is away.", isUnreachable: true))])
    #expect(try world.tokens() == before)
    #expect(try world.account()?.signIn?.ended == nil)
    #expect(try world.account()?.signIn?.refreshBegan == nil)
    world.service.fail(.notAllowed("The client is not known."), at: google.account)
    let refused = try await world.apply()
    #expect(
      refused.reports.map(\.result) == [
        .failed(.refreshRefused(AccountRefusal(.client, code: "invalid_client", since: world.now), .google))
      ])
    #expect(try world.tokens() == before)
    world.service.fail(nil, at: google.account)
    #expect(try await world.apply().isComplete)
    #expect(try await world.plan().isEmpty)
  }

  @Test("a client that the service refuses is remembered with its time until a refresh succeeds")
  func clientRefused() async throws {
    var world = try await settled()
    world.now = start + .days(1)
    world.service.fail(.notAllowed("The client is not known."), at: google.account)
    try await world.apply()
    let refusal = AccountRefusal(.client, code: "invalid_client", since: world.now)
    #expect(try world.account()?.refusal == refusal)
    world.now = world.now + .days(1)
    try await world.apply()
    #expect(try world.account()?.refusal == refusal)
    let findings = try await world.findings()
    #expect(findings.map(\.fact) == [.refreshRefused(refusal, .google, until: nil)])
    #expect(findings.map(\.level) == [.broken] && findings.map(\.since) == [refusal.since])
    #expect(try await world.planned().diagnostics.map(\.code) == [.refreshRefused])
    world.service.fail(nil, at: google.account)
    #expect(try await world.apply().isComplete)
    #expect(try world.account()?.refusal == nil)
    #expect(try await world.findings() == [])
  }

  @Test("a credential that needs nobody, and never got a token, is remembered as refused")
  func neverLetIn() async throws {
    var world = World()
    world.service.put([own], at: google.account)
    try world.declareAccount(signIn: .serviceAccount)
    world.service.fail(.notAllowed("The client is not known."), at: google.account)
    try await world.apply()
    #expect(try world.account()?.refusal?.reason == .client && world.account()?.signIn == nil)
    #expect(try await world.findings().map(\.kind) == [.refreshRefused])
    world.service.fail(nil, at: google.account)
    #expect(try await world.apply().isComplete)
    #expect(try world.account()?.refusal == nil)
  }

  @Test("tokens that were revoked are kept as they are until somebody signs in again")
  func revoked() async throws {
    var world = try await settled()
    world.service.endAll(of: google.account)
    #expect(try await world.findings().map(\.kind) == [.tokenRefused])
    let outcome = try await world.apply()
    #expect(
      outcome.reports.map(\.result) == [.needsPerson(AccountNeed(facts: google, reason: .ended))])
    #expect(try world.tokens() == ["a-2", "r-1"])
    #expect(try await world.findings().map(\.kind) == [.signInEnded])
    let asked = world.service.asked
    #expect(steps(try await world.plan()) == ["authorize calendar.home"])
    #expect(world.service.asked == asked, "a dead token is shown to nobody")
    #expect(try await world.signIn().isComplete)
    #expect(try world.account()?.calendar == own)
    #expect(try await world.plan().isEmpty)
  }

  @Test(
    "an answer that was lost is told as that, where the service has rotated its tokens",
    arguments: MemoryAccountService.Rotation.allCases)
  func lost(rotation: MemoryAccountService.Rotation) async throws {
    var world = try await settled(rotation)
    world.now = start + .days(1)
    world.service.fail(.losesAnswers, at: google.account)
    #expect(
      try await world.apply().reports.map(\.result) == [
        .failed(.reported(reason: "The response was lost.", isUnreachable: true))
      ])
    #expect(try world.account()?.signIn?.unanswered != nil)
    world.service.fail(nil, at: google.account)
    let outcome = try await world.apply()
    guard rotation == .strict else {
      #expect(outcome.isComplete)
      #expect(try world.account()?.signIn?.unanswered == nil)
      return
    }
    #expect(try world.account()?.signIn?.ended?.reason == .rotationLost)
    #expect(!outcome.isComplete)
    #expect(
      try await world.findings().map(\.fact) == [.signInNeeded(AccountNeed(facts: google, reason: .rotationLost), nil)])
  }

  @Test(
    "a machine that dies between the answer and the commit leaves the intent, and what is lost is told",
    arguments: MemoryAccountService.Rotation.allCases)
  func died(rotation: MemoryAccountService.Rotation) async throws {
    var world = try await settled(rotation)
    world.now = start + .days(1)
    // The intent is the first effect, the request the second, its result the third.
    try await world.apply(try await world.plan(), Faults(.deathAfter, at: 2))
    #expect(try world.account()?.signIn?.refreshBegan == world.now)
    #expect(try world.tokens() == ["a-2", "r-1"])
    #expect(try await world.findings() == [], "it may still be under way")
    world.now = world.now + Interval(seconds: 3600)
    #expect(try await world.findings().map(\.kind) == [.rotationLost])
    let outcome = try await world.apply()
    #expect(outcome.isComplete == (rotation != .strict))
    #expect(try world.account()?.signIn?.ended?.reason == (rotation == .strict ? .rotationLost : nil))
    #expect(try world.account()?.signIn?.refreshBegan == nil)
  }

  @Test("a refresh token comes from a source where nobody can sign in, once")
  func adopting() async throws {
    var world = World()
    world.service.put([own, team], at: google.account)
    _ = world.service.signIn(google.account)
    try world.declareAccount(calendar: "Team", token: remote("token"))
    world.say("r-1", at: "token")
    let outcome = try await world.apply()
    #expect(
      outcome.reports.map(words) == [
        "adoptToken calendar.home: done", "refresh calendar.home: done", "select calendar.home: done",
      ])
    #expect(try world.tokens() == ["a-4", "r-3"])
    #expect(try world.account()?.calendar == team)
    #expect(try await world.plan().isEmpty)
    world.service.endAll(of: google.account)
    try await world.apply()
    #expect(steps(try await world.plan()) == ["authorize calendar.home"], "the source has the same token as before")
    world.say("r-9", at: "token")
    #expect(steps(try await world.plan()) == ["adoptToken calendar.home", "refresh calendar.home"])
    let again = try await world.apply()
    #expect(again.reports.map(words) == ["adoptToken calendar.home: done", "refresh calendar.home: needs a person"])
    #expect(steps(try await world.plan()) == ["authorize calendar.home"])
  }

  @Test("a token from a source that turns out to be another person's is given to nobody")
  func stranger() async throws {
    var world = World()
    world.service.put([own], at: google.account)
    try world.declareAccount(token: remote("token"))
    world.say("theirs", at: "token")
    world.service.know(Array("theirs".utf8), of: google.account)
    world.service.fail(.answersFor("eve@gmail.com"), at: google.account)
    let outcome = try await world.apply()
    let need = AccountNeed(facts: google, reason: .otherAccount, found: "eve@gmail.com")
    #expect(outcome.reports.map(\.result).contains(.needsPerson(need)), "\(outcome.reports.map(\.result))")
    let ended = try #require(try world.account()?.signIn?.ended)
    #expect(ended.reason == .otherAccount && ended.code == "eve@gmail.com")
    // Nobody is asked any more, until a person signs in.
    #expect(steps(try await world.plan()) == ["authorize calendar.home"])
    #expect(try await world.findings().map(\.kind) == [.otherAccount])
    world.service.fail(nil, at: google.account)
    #expect(try await world.signIn().isComplete)
    #expect(try await world.findings() == [])
  }

  @Test("a token that moved between plan and apply is stale, and so is one for an account that somebody signed in to")
  func staleToken() async throws {
    var world = World()
    world.service.put([own], at: google.account)
    try world.declareAccount(token: remote("token"))
    world.say("r-1", at: "token")
    let plan = try await world.plan()
    world.say("r-2", at: "token")
    #expect(
      try await world.apply(plan).reports.map(words) == [
        "adoptToken calendar.home: stale", "refresh calendar.home: not tried", "select calendar.home: not tried",
      ])
    world.say("r-1", at: "token")
    try await world.signIn()
    #expect(try await world.apply(plan).reports.first.map(words) == "adoptToken calendar.home: stale")
    #expect(try await world.plan().isEmpty)
  }

  @Test("a password goes to its host once that is allowed, and nothing is stored of it")
  func password() async throws {
    var world = World()
    let facts = AccountFacts(service: .caldav, account: "ada", url: "https://dav.example/")
    world.service.put([own, team], at: "ada")
    world.service.put(password: Array("pw".utf8), at: "ada")
    try world.declareAccount(
      "dav", facts, calendar: "Team", signIn: .password, secrets: Account.Secrets(password: remote("pw")),
      isAllowed: false)
    world.say("pw", at: "pw")
    #expect(steps(try await world.plan()) == ["allow surface.host dav.example", "select calendar.dav"])
    #expect(world.service.asked == 0)
    #expect(try await world.apply().isComplete)
    #expect(try world.account("dav")?.calendar == team)
    #expect(try world.tokens("dav") == [nil, nil])
    #expect(try await world.plan().isEmpty)
    world.say("other", at: "pw")
    #expect(try await world.findings().map(\.kind) == [.passwordRefused])
    world.say(nil, at: "pw")
    #expect(try await world.findings() == [])
    #expect(try await world.planned().diagnostics.map(\.code) == [.secretNotFound])
  }

  @Test("a service account needs nobody")
  func alone() async throws {
    var world = World()
    world.service.put([own], at: google.account)
    try world.declareAccount(signIn: .serviceAccount, secrets: Account.Secrets(keyFile: remote("key")))
    let failed = try await world.apply()
    #expect(
      failed.reports.map(words) == ["refresh calendar.home: failed", "select calendar.home: not tried"],
      "its key file is not there")
    let finding = try await world.findings().first
    #expect(finding.map(\.kind) == .stepFailed && finding?.since == start, "drift says why there is no token")
    world.say("{}", at: "key")
    #expect(try await world.apply().isComplete)
    #expect(try await world.plan().isEmpty)
    world.now = start + .days(1)
    #expect(try await world.apply().isComplete)
  }

  @Test("an account that has left is given back and forgotten; one that cannot be given back now is kept")
  func leaving() async throws {
    var world = try await settled()
    world.accounts = [:]
    world.service.fail(.unreachable("It is away."), at: google.account)
    #expect(
      try await world.apply().reports.map(words) == [
        "signOut calendar.home: failed", "disallow surface.host oauth2.googleapis.com: not tried",
        "disallow surface.host www.googleapis.com: not tried",
      ])
    #expect(try world.tokens() == ["a-2", "r-1"])
    world.service.fail(.keepsTokens, at: google.account)
    let outcome = try await world.apply()
    #expect(outcome.isComplete)
    #expect(outcome.reports.first?.note == .notRevoked(reason: "The service does not revoke tokens."))
    #expect(try world.account() == nil)
    #expect(try await world.plan().isEmpty)
  }

  @Test("given back, once")
  func givenBack() async throws {
    var world = try await settled()
    world.accounts = [:]
    #expect(try await world.apply().isComplete)
    #expect(world.service.revocations == [named("home")])
    #expect(try world.store.recorded().surface.isEmpty)
  }

  @Test("a plan asks nobody about an account whose hosts have not been allowed, signed in or not")
  func heldBack() async throws {
    var world = World()
    world.service.put([own], at: google.account)
    try world.declareAccount(isAllowed: false)
    try await world.signIn()
    let asked = world.service.asked
    #expect(
      steps(try await world.plan()) == [
        "allow surface.host oauth2.googleapis.com", "allow surface.host www.googleapis.com",
      ])
    #expect(world.service.asked == asked)
    #expect(try await world.apply().isComplete)
    #expect(try await world.plan().isEmpty)
    #expect(world.service.asked > asked)
  }

  @Test("a host that is allowed is sent no other credential than the one that it was allowed with")
  func otherCredential() async throws {
    let facts = AccountFacts(service: .caldav, account: google.account, url: "https://dav.example:8443/")
    var world = World()
    world.service.put([own], at: google.account)
    for name in ["password", "another"] { world.say("made-up \(name)", at: name) }
    try world.declareAccount(
      "dav", facts, signIn: .password, secrets: Account.Secrets(password: remote("password")))
    let asked = world.service.asked
    _ = try await world.plan()
    #expect(world.service.asked > asked, "it is asked with the credential that was allowed")
    let before = world.service.asked
    try world.declareAccount(
      "dav", facts, signIn: .password, secrets: Account.Secrets(password: remote("another")), isAllowed: false)
    #expect(steps(try await world.plan()).first == "allow surface.host dav.example:8443")
    #expect(world.service.asked == before, "the host was sent another credential")
  }

  @Test(
    "a password goes to no other address of its host, and for no other user, than it was allowed for",
    arguments: [true, false])
  func otherHolder(isTrusted: Bool) async throws {
    func facts(_ account: String, _ path: String) -> AccountFacts {
      AccountFacts(service: .caldav, account: account, url: "https://dav.example/\(path)")
    }
    func password(_ name: String) -> Account.Secrets { Account.Secrets(password: remote(name)) }
    var world = World()
    for name in ["one", "two"] { world.say("made-up \(name)", at: name) }
    try world.declareAccount("ada", facts("ada", "ada/"), signIn: .password, secrets: password("one"))
    let asked = world.service.asked
    _ = await world.observer(trusting: isTrusted).observe(world.manifest, recorded: try world.store.recorded())
    #expect(world.service.asked > asked, "it is asked as it was allowed")

    for (account, path) in [("ada", "mallory/"), ("mallory", "ada/")] {
      let before = world.service.asked
      try world.declareAccount(
        "ada", facts(account, path), signIn: .password, secrets: password("one"), isAllowed: false)
      let observer = world.observer(trusting: isTrusted)
      let observed = await observer.observe(world.manifest, recorded: try world.store.recorded())
      #expect(observed.accounts[named("ada")] == .heldBack)
      #expect(world.service.asked == before, "the password went to \(account) at \(path)")
    }
  }

  @Test("two accounts at one host cannot exchange their passwords")
  func exchangedPasswords() async throws {
    var world = World()
    func declare(_ name: String, _ password: String, isAllowed: Bool) throws {
      let facts = AccountFacts(service: .caldav, account: name, url: "https://dav.example/")
      try world.declareAccount(
        name, facts, signIn: .password, secrets: Account.Secrets(password: remote(password)), isAllowed: isAllowed)
    }
    for name in ["one", "two"] { world.say("made-up \(name)", at: name) }
    try declare("ada", "one", isAllowed: false)
    try declare("bob", "two", isAllowed: false)
    try await world.apply()
    #expect(try world.store.recorded().surface.contains(ExternalAccess(.host, "dav.example")))
    try declare("ada", "two", isAllowed: false)
    try declare("bob", "one", isAllowed: false)
    let before = world.service.asked
    #expect(steps(try await world.plan()).first == "allow surface.host dav.example")
    #expect(world.service.asked == before, "a host was sent another's password")
  }

  @Test("tokens never go to another host, client or account than the one they were signed in with")
  func changed() async throws {
    var world = try await settled()
    let elsewhere = AccountFacts(
      service: .google, account: google.account, client: "1", endpoints: [.api: "https://evil.example/"])
    try world.declareAccount("home", elsewhere)
    let asked = world.service.asked
    #expect(steps(try await world.plan()).suffix(1) == ["authorize calendar.home"])
    try await world.apply()
    #expect(world.service.asked == asked)
    #expect(world.service.refreshes == [])
  }
}
