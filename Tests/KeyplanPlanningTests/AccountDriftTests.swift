import KeyplanModel
import KeyplanPlanning
import Testing

@Suite struct AccountDriftTests {
  @Test("what ended says since when, and why as far as its times tell")
  func ended() throws {
    struct Unexpected: Error {}
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount(ended: .ended)
    func facts() -> [FindingFact] { scene.findings().map(\.fact) }
    func needed(_ reason: AccountNeed.Reason, _ cause: AccountEndCause?) -> [FindingFact] {
      scene.accounts[named("home")].map { [.signInNeeded(AccountNeed(facts: $0.facts, reason: reason), cause)] } ?? []
    }
    #expect(facts() == needed(.ended, .revoked) && scene.findings().map(\.level) == [.broken])
    #expect(scene.findings().first?.since == now - Interval(seconds: 60))
    scene.recordAccount(signedIn: now - .days(7) - Interval(seconds: 3600), ended: .ended)
    #expect(facts() == needed(.testingEnded, .testing(days: 7)) && scene.findings().map(\.level) == [.broken])
    scene.recordAccount(signedIn: now - .days(12), isTesting: true, ended: .ended)
    #expect(scene.findings().map(\.kind) == [.testingEnded])
    scene.recordAccount(signedIn: now - .days(200), ended: .ended)
    guard case .signInNeeded(_, .unused(let idle)) = facts().first else { throw Unexpected() }
    #expect(idle.spoken == "199 days")
    scene.recordAccount(ended: .rotationLost)
    #expect(facts() == needed(.rotationLost, nil))
  }

  @Test("an outage is never taken for a no, and a token that is over is not asked")
  func unreachable() {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount()
    scene.answer(.unreachable(reason: "Away."))
    var drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(drift.findings == [])
    #expect(drift.diagnostics.map(\.code) == [.accountUnreachable])
    #expect(drift.diagnostics.allSatisfy { $0.code.isUnreachable })
    scene.recordAccount(over: true)
    scene.answer(.expired)
    drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(drift.findings == [])
    #expect(drift.diagnostics.map(\.code) == [.accountNotAsked])
  }

  @Test("a client that the service refuses is broken since then, whether or not there is a token yet")
  func refused() {
    let refusal = AccountRefusal(.secretExpired, code: "invalid_client", since: now - .days(40))
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount(over: true, refusal: refusal)
    scene.answer(.expired)
    var drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(drift.findings.map(\.fact) == [.refreshRefused(refusal, .google, until: nil)])
    #expect(drift.findings.map(\.level) == [.broken] && drift.findings.map(\.since) == [refusal.since])
    #expect(drift.diagnostics == [], "what is known is not called unknown")
    scene.recordAccount(refusal: refusal)
    scene.answer(.answered([own]))
    drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    let end = now + Interval(seconds: 1800)
    #expect(drift.findings.map(\.fact) == [.refreshRefused(refusal, .google, until: end)])
    #expect(
      AccountStatus.all(of: scene.manifest, in: scene.observed, at: now).map(\.state)
        == [.refreshRefused(refusal, until: end)])
    #expect(scene.faults() == ["refreshRefused calendar.home"])
    // If a person must sign in anyway, drift and status report that alone.
    scene.answer(.otherAccount("eve@gmail.com"))
    #expect(scene.findings().map(\.kind) == [.otherAccount])
    scene.recordAccount(ended: .ended, refusal: refusal)
    scene.answer(nil)
    #expect(scene.findings().map(\.kind) == [.signInEnded])
  }

  @Test("a sign-in without a refresh token ends with its access token, and says so from the start")
  func noRefreshToken() {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount(isRefreshable: false)
    scene.answer(.answered([own]))
    let end = now + Interval(seconds: 1800)
    #expect(scene.findings().map(\.kind) == [.signInEndsSoon] && scene.findings().map(\.level) == [.soon])
    #expect(
      AccountStatus.all(of: scene.manifest, in: scene.observed, at: now).map(\.state) == [
        .endsWithToken(own, until: end)
      ])
    #expect(scene.faults() == ["signInEndsSoon calendar.home"])
    scene.answer(.expired)
    #expect(scene.findings(at: end).map(\.kind) == [.signInEnded])
    // A credential that needs nobody gets its next token without one.
    scene.declareAccount(signIn: .clientCredentials)
    scene.recordAccount(isRefreshable: false)
    scene.answer(.answered([own]))
    #expect(scene.findings() == [] && scene.faults() == [])
  }

  @Test("a pending change of the manifest is no drift")
  func pending() {
    var scene = Scene()
    scene.declareAccount()
    #expect(scene.findings() == [])
    scene.recordAccount("home", AccountFacts(service: .google, account: "eve@gmail.com"), ended: .ended)
    #expect(scene.findings() == [])
    scene.declareAccount(calendar: "Other")
    scene.recordAccount()
    scene.answer(.answered([own, team]))
    #expect(scene.findings() == [])
    #expect(scene.faults() == ["calendarMissing calendar.home"])
  }

  @Test(
    "what the service says: each kind once",
    arguments: [
      (AccountFinding.refused, "pending tokenRefused"), (.scopeMissing, "broken scopesReduced"),
      (.personNeeded, "broken signInEnded"), (.otherAccount("eve@gmail.com"), "broken otherAccount"),
      (.answered([own, AccountCalendar(id: "t2", name: "Team")]), "pending calendarChanged"),
      (.answered([own, AccountCalendar(id: "t1", name: "Crew")]), "pending calendarMisnamed"),
      (.answered([own]), "broken calendarGone"),
      (.answered([own, team, AccountCalendar(id: "t2", name: "Team")]), "broken calendarUnclear"),
      (.answered([own, team]), ""),
    ])
  func found(finding: AccountFinding, wanted: String) {
    var scene = Scene()
    scene.declareAccount(calendar: "Team")
    scene.recordAccount(calendar: team)
    scene.answer(finding)
    #expect(scene.findings().map { "\($0.level) \($0.kind)" } == (wanted.isEmpty ? [] : [wanted]))
  }

  @Test("who an account is signed in as is reported, and whom it is declared for")
  func otherAccount() throws {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount()
    scene.answer(.otherAccount("eve@gmail.com"))
    let facts = try #require(scene.accounts[named("home")]?.facts)
    let need = AccountNeed(facts: facts, reason: .otherAccount, found: "eve@gmail.com")
    #expect(scene.findings().map(\.fact) == [.signInNeeded(need, nil)])
    #expect(AccountStatus.all(of: scene.manifest, in: scene.observed, at: now).map(\.state) == [.needsSignIn(need)])
  }

  @Test("a calendar that was made anew under its name is reported as that, and so is one that lost it to another")
  func recreated() {
    var scene = Scene()
    scene.declareAccount(calendar: "Team")
    scene.recordAccount(calendar: team)
    scene.answer(.answered([own, AccountCalendar(id: "t2", name: "Team")]))
    #expect(scene.findings().map(\.fact) == [.calendarReplaced("Team")])
    scene.answer(.answered([own, AccountCalendar(id: "t1", name: "Crew"), AccountCalendar(id: "t2", name: "Team")]))
    #expect(scene.findings().map(\.fact) == [.calendarNameMoved("Team")])
  }

  @Test(
    "an account about which nothing is known is told, whatever kept it from being asked",
    arguments: [
      ("never", nil, "accountNotAsked"), ("other", nil, "accountNotAsked"), ("good", .heldBack, "accountNotAsked"),
      ("good", .planOnly(reason: "No."), "accountNotAsked"),
      ("good", .noSecret(reason: "No.", isUnreachable: false), "secretNotFound"),
      ("good", .noSecret(reason: "No.", isUnreachable: true), "sourceUnreachable"),
      ("good", .answered([own]), ""), ("ended", nil, ""),
    ] as [(String, AccountFinding?, String)])
  func unknown(recorded: String, finding: AccountFinding?, code: String) {
    var scene = Scene()
    scene.declareAccount()
    switch recorded {
    case "never": break
    case "other": scene.recordAccount("home", AccountFacts(service: .google, account: "eve@gmail.com"))
    case "ended": scene.recordAccount(ended: .ended)
    default: scene.recordAccount()
    }
    scene.answer(finding)
    let told = Finding.drift(of: scene.manifest, in: scene.observed, at: now).diagnostics
    #expect(told.map { "\($0.code)" } == (code.isEmpty ? [] : [code]))
    #expect(told.allSatisfy { ($0.code.severity == .error) == ($0.code != .accountNotAsked) })
  }

  @Test("an account with a password that could not be had, and one that lets itself in and never did, are told")
  func unknownAlone() {
    var scene = Scene()
    let facts = AccountFacts(service: .caldav, account: "ada", url: "https://dav.example/")
    scene.declareAccount("dav", facts, signIn: .password)
    scene.recordAccount("dav", facts, hasTokens: false)
    scene.answer(.noSecret(reason: "file://p has no value.", isUnreachable: false), "dav")
    #expect(Finding.drift(of: scene.manifest, in: scene.observed, at: now).diagnostics.map(\.code) == [.secretNotFound])
    scene = Scene()
    scene.declareAccount(signIn: .serviceAccount)
    #expect(
      Finding.drift(of: scene.manifest, in: scene.observed, at: now).diagnostics.map(\.code) == [.accountNotAsked])
  }

  @Test("a refresh whose answer was lost is told as soon as nobody is at it any more")
  func lost() {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount(began: now - Interval(seconds: 5))
    scene.observed.refreshing = [named("home")]
    #expect(scene.findings() == [])
    scene.observed.refreshing = []
    #expect(scene.findings().map(\.kind) == [.rotationLost])
    scene.recordAccount(unanswered: now - Interval(seconds: 5))
    #expect(scene.findings().map(\.kind) == [.rotationLost])
  }

  @Test("a calendar that is meant by its id, or as the account's own, may be renamed, and replaced")
  func renamed() {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount()
    scene.answer(.answered([AccountCalendar(id: own.id, name: "Ada L.", isPrimary: true)]))
    #expect(scene.findings().map(\.kind) == [.calendarRenamed])
    #expect(scene.steps() == ["select calendar.home Ada L. (drift)"])
    scene.answer(.answered([AccountCalendar(id: "ada2", name: "New", isPrimary: true), team]))
    #expect(scene.findings().map(\.kind) == [.calendarChanged])
    scene.answer(.answered([team]))
    #expect(scene.findings().map(\.kind) == [.calendarGone])
  }

  @Test("a password that is not accepted any more is told; a refresh whose answer was lost is, too")
  func others() {
    var scene = Scene()
    let facts = AccountFacts(service: .caldav, account: "ada", url: "https://dav.example/")
    scene.declareAccount("dav", facts, signIn: .password)
    scene.recordAccount("dav", facts, hasTokens: false)
    scene.answer(.refused, "dav")
    #expect(scene.findings().map(\.kind) == [.passwordRefused])
    scene = Scene()
    scene.declareAccount()
    scene.recordAccount(began: now - Interval(seconds: 60))
    #expect(scene.findings() == [], "it may be under way")
    scene.recordAccount(began: now - Interval(seconds: 3600))
    scene.observed.recorded.interrupted[.calendar(named("home"))] = now
    #expect(scene.findings().map(\.kind) == [.rotationLost])
  }

  @Test(
    "a sign-in that ends by itself is forecast, in a window of a quarter of its life at most",
    arguments: [
      (AccountFacts.Service.google, true, -4, ""),
      (.google, true, -6, "signInEndsSoon"), (.google, true, -8, "signInTooOld"),
      (.google, false, -181, "signInTooOld"),
      (.google, false, -160, ""),
      (.google, false, -170, "signInUnused"),
      (.outlook, false, -70, ""),
      (.outlook, false, -80, "signInUnused"),
    ] as [(AccountFacts.Service, Bool, Int64, String)])
  func forecasts(service: AccountFacts.Service, isTesting: Bool, days: Int64, kind: String) {
    var scene = Scene()
    let facts = AccountFacts(service: service, account: "ada@gmail.com", client: "1")
    scene.declareAccount("home", facts)
    scene.recordAccount("home", facts, signedIn: now + .days(days), isTesting: isTesting)
    scene.answer(.answered([own]))
    #expect(scene.findings().map { "\($0.kind)" }.joined() == kind)
    #expect(scene.findings().allSatisfy { $0.level == ($0.kind == .signInTooOld ? .pending : .soon) })
    let fault = kind == "signInTooOld" ? "signInExpired" : "signInEndsSoon"
    #expect(scene.faults() == (kind.isEmpty ? [] : ["\(fault) calendar.home"]))
    scene.recordAccount("home", facts, signedIn: now + .days(days), refreshed: now - .days(1), isTesting: isTesting)
    #expect(scene.findings().map { "\($0.kind)" }.joined() == (isTesting ? kind : ""), "a refresh is a use")
  }

  @Test("the services' rules for tokens that nobody uses hold at addresses of one's own, too")
  func elsewhere() {
    var scene = Scene()
    let facts = AccountFacts(
      service: .outlook, account: "ada@contoso.com", client: "1", endpoints: [.token: "https://login.example/token"])
    scene.declareAccount("home", facts)
    scene.recordAccount("home", facts, signedIn: now - .days(80))
    scene.answer(.answered([own]))
    #expect(scene.findings().map(\.kind) == [.signInUnused])
  }

  @Test("a policy's end is said, and under `then: retire` somebody must sign in anew")
  func policies() {
    var scene = Scene()
    for (then, days, kinds, steps) in [
      (Expiry.Consequence.warn, 70, [], []), (.warn, 85, [.signInEndsSoon], []), (.warn, 95, [.signInTooOld], []),
      (.retire, 85, [.signInEndsSoon], []),
      (.retire, 95, [.signInTooOld], ["authorize calendar.home tooOld (expiry)"]),
    ] as [(Expiry.Consequence, Int64, [Finding.Kind], [String])] {
      scene.declareAccount(expiry: Expiry(.after(.days(90)), warn: .days(14), then: then))
      scene.recordAccount(signedIn: now - .days(days), refreshed: now - .days(1))
      scene.answer(.answered([own]))
      #expect(scene.findings().map(\.kind) == kinds, "\(then) \(days)")
      #expect(scene.steps() == steps, "\(then) \(days)")
    }
  }
}
