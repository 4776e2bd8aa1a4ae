import KeyplanModel
import KeyplanPlanning
import Testing

let ada = AccountFacts(service: .google, account: "ada@gmail.com", client: "1")
let team = AccountCalendar(id: "t1", name: "Team")
let own = AccountCalendar(id: "ada@gmail.com", name: "Ada", isPrimary: true)

extension Scene {
  mutating func declareAccount(
    _ name: String = "home", _ facts: AccountFacts = ada, calendar: String? = nil,
    signIn: Account.SignIn = .browser, token: Reference? = nil, expiry: Expiry? = nil, isTesting: Bool = false,
    allowed: Bool = true
  ) {
    let account = Account(
      facts: facts, calendar: calendar, signIn: signIn, isTesting: isTesting, token: token, expiry: expiry)
    accounts[named(name)] = account
    for (item, terms) in account.surfaceTerms where allowed { observed.recorded.surface[item] = terms }
  }

  mutating func recordAccount(
    _ name: String = "home", _ facts: AccountFacts = ada, calendar: AccountCalendar? = own,
    signedIn: Moment = now - .days(3), refreshed: Moment? = nil, isRefreshable: Bool = true, isTesting: Bool = false,
    missing: [String] = [], ended: AccountEnd.Reason? = nil, began: Moment? = nil, unanswered: Moment? = nil,
    adopted: String? = nil, over: Bool = false, hasTokens: Bool = true, refusal: AccountRefusal? = nil
  ) {
    let signIn = SignInRecord(
      signedInAt: signedIn, refreshedAt: refreshed,
      access: .until(over ? now - Interval(seconds: 60) : now + Interval(seconds: 1800)), isRefreshable: isRefreshable,
      isTesting: isTesting, missing: missing, epoch: 7, refreshBegan: began, unanswered: unanswered,
      ended: ended.map { AccountEnd($0, code: "invalid_grant", at: now - Interval(seconds: 60)) },
      adopted: adopted.map { print($0, of: name) })
    observed.recorded.accounts[named(name)] = AccountRecord(
      revision: 4, facts: facts, calendar: calendar, signIn: hasTokens ? signIn : nil, refusal: refusal)
  }

  mutating func answer(_ finding: AccountFinding?, _ name: String = "home") {
    observed.accounts[named(name)] = finding
  }

  func findings(at moment: Moment = now) -> [Finding] {
    Finding.drift(of: manifest, in: observed, at: moment).findings
  }
}

/// Declared × recorded × found at the service.
@Suite struct AccountTests {
  @Test(
    "a person's account: recorded × found, and what becomes of it",
    arguments: [
      (
        recorded: "nothing", finding: AccountFinding?.none, steps: ["authorize calendar.home never (manifest)"],
        faults: [String]()
      ),
      ("other", nil, ["authorize calendar.home changed (manifest)"], []),
      ("good", .answered([own, team]), [], []),
      ("good", .answered([team]), [], ["calendarUnclear calendar.home"]),
      ("good", .expired, ["refresh calendar.home expired (expiry)"], []),
      ("good", .refused, ["refresh calendar.home refused (drift)"], []),
      ("good", .unreachable(reason: "Away."), [], ["accountUnreachable calendar.home"]),
      ("good", .notAllowed(reason: "No.", hint: nil), [], ["accountNotAllowed calendar.home"]),
      ("good", .noSecret(reason: "No.", isUnreachable: true), [], ["sourceUnreachable calendar.home"]),
      ("good", .personNeeded, ["authorize calendar.home personNeeded (drift)"], []),
      ("good", .otherAccount("eve@gmail.com"), ["authorize calendar.home otherAccount (drift)"], []),
      ("stranger", nil, ["authorize calendar.home otherAccount (drift)"], []),
      ("good", .scopeMissing, ["authorize calendar.home scopesMissing (drift)"], []),
      ("good", .heldBack, [], []),
      ("good", .planOnly(reason: "No."), [], []),
      ("good", nil, [], []),
      ("over", .heldBack, ["refresh calendar.home expired (expiry)"], []),
      ("interrupted", .expired, ["refresh calendar.home expired (interrupted)"], []),
      ("unchosen", .expired, ["refresh calendar.home expired (expiry)", "select calendar.home ? (manifest)"], []),
      ("unchosen", .answered([own]), ["select calendar.home Ada (manifest)"], []),
      ("ended", nil, ["authorize calendar.home ended (drift)"], []),
      ("lost", nil, ["authorize calendar.home rotationLost (drift)"], []),
      ("partly", .answered([own]), ["authorize calendar.home scopesMissing (drift)"], []),
      ("bare", .refused, ["authorize calendar.home notRefreshable (drift)"], []),
      ("bare over", .expired, ["authorize calendar.home notRefreshable (drift)"], []),
      ("bare", .answered([own]), [], ["signInEndsSoon calendar.home"]),
    ] as [(String, AccountFinding?, [String], [String])])
  func person(recorded: String, finding: AccountFinding?, steps: [String], faults: [String]) {
    var scene = Scene()
    scene.declareAccount()
    switch recorded {
    case "nothing": break
    case "other": scene.recordAccount("home", AccountFacts(service: .google, account: "eve@gmail.com", client: "1"))
    case "over": scene.recordAccount(over: true)
    case "interrupted": scene.recordAccount(began: now - .days(1), over: true)
    case "unchosen": scene.recordAccount(calendar: nil)
    case "ended": scene.recordAccount(ended: .ended)
    case "lost": scene.recordAccount(ended: .rotationLost)
    case "stranger": scene.recordAccount(ended: .otherAccount)
    case "partly": scene.recordAccount(missing: ["calendar.events"])
    case "bare": scene.recordAccount(isRefreshable: false)
    case "bare over": scene.recordAccount(isRefreshable: false, over: true)
    default: scene.recordAccount()
    }
    scene.answer(finding)
    #expect(scene.steps() == steps)
    #expect(scene.faults() == faults)
  }

  @Test(
    "an account with a password needs nobody, and is asked as soon as its host is allowed",
    arguments: [
      (
        isRecorded: false, finding: AccountFinding.answered([own, team]),
        steps: ["select calendar.dav Team (manifest)"], faults: [String]()
      ),
      (true, .answered([own, team]), [], []),
      (true, .answered([own]), [], ["calendarMissing calendar.dav"]),
      (true, .answered([own, AccountCalendar(id: "t1", name: "Crew")]), [], ["calendarRenamed calendar.dav"]),
      (false, .refused, [], ["accountRefused calendar.dav"]),
      (true, .unreachable(reason: "Away."), [], ["accountUnreachable calendar.dav"]),
      (true, .noSecret(reason: "No.", isUnreachable: false), [], ["secretNotFound calendar.dav"]),
    ] as [(Bool, AccountFinding, [String], [String])])
  func password(isRecorded: Bool, finding: AccountFinding, steps: [String], faults: [String]) {
    var scene = Scene()
    let facts = AccountFacts(service: .caldav, account: "ada", url: "https://dav.example:8443/x")
    scene.declareAccount("dav", facts, calendar: "Team", signIn: .password)
    if isRecorded { scene.recordAccount("dav", facts, calendar: team, hasTokens: false) }
    scene.answer(finding, "dav")
    #expect(scene.steps() == steps)
    #expect(scene.faults() == faults)
  }

  @Test(
    "whether an account may be used is one answer for plan, drift, status and whoever wants its token",
    arguments: [
      ("good", AccountFinding.answered([own]), AccountNeed.Reason?.none), ("good", .otherAccount("eve"), .otherAccount),
      ("good", .personNeeded, .personNeeded), ("good", .scopeMissing, .scopesMissing), ("ended", nil, .ended),
      ("stranger", nil, .otherAccount), ("partly", .answered([own]), .scopesMissing),
      ("old", .answered([own]), .tooOld), ("old", .unreachable(reason: "Away."), .tooOld), ("old", .expired, .tooOld),
      ("bare", .refused, .notRefreshable),
    ] as [(String, AccountFinding?, AccountNeed.Reason?)])
  func oneRule(recorded: String, finding: AccountFinding?, reason: AccountNeed.Reason?) throws {
    var scene = Scene()
    scene.declareAccount(expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire))
    switch recorded {
    case "ended": scene.recordAccount(ended: .ended)
    case "stranger": scene.recordAccount(ended: .otherAccount)
    case "partly": scene.recordAccount(missing: ["calendar.events"])
    case "old": scene.recordAccount(signedIn: now - .days(91), refreshed: now - .days(1))
    case "bare": scene.recordAccount(isRefreshable: false)
    default: scene.recordAccount()
    }
    scene.answer(finding)
    let account = try #require(scene.manifest.accounts[named("home")])
    let planned = PlannedAccount(named("home"), account, in: scene.observed.recorded)
    #expect(planned.need(finding, at: now)?.reason == reason)
    #expect(
      scene.steps() == (reason.map { ["authorize calendar.home \($0) (\($0 == .tooOld ? "expiry" : "drift"))"] } ?? []))
    #expect(scene.findings().isEmpty == (reason == nil))
    switch try #require(AccountStatus.all(of: scene.manifest, in: scene.observed, at: now).first).state {
    case .granted: #expect(reason == nil)
    case .needsSignIn(let need): #expect(need.reason == reason)
    case .partlyGranted: #expect(reason == .scopesMissing)
    case let state: Issue.record("\(state)")
    }
  }

  @Test(
    "an account is known by any name that its service states, whatever its case",
    arguments: [
      (AccountFacts.Service.google, "Ada.L@gmail.com", "adal@googlemail.com", true),
      (.google, "ada@gmail.com", "ada@gmail.com", true), (.google, "ada@corp.example", "a.da@corp.example", false),
      (.google, "ada@gmail.com", "eve@gmail.com", false), (.outlook, "Ada@Contoso.com", "ada@contoso.COM", true),
      (.outlook, "ada@gmail.com", "a.da@gmail.com", false), (.outlook, "48D3-A9", "48d3-a9", true),
      (.outlook, "ada@contoso.com", "", false),
    ])
  func names(service: AccountFacts.Service, declared: String, stated: String, isSame: Bool) {
    #expect(AccountFacts(service: service, account: declared).isNamed(stated) == isSame)
  }

  @Test("no host gets a credential before it is allowed, and what is asked then is known at apply")
  func surface() {
    var scene = Scene()
    let facts = AccountFacts(service: .caldav, account: "ada", url: "https://DAV.example:8443/x")
    scene.declareAccount("dav", facts, signIn: .password, allowed: false)
    scene.answer(.heldBack, "dav")
    #expect(
      scene.steps() == ["allow surface.host dav.example:8443 (manifest)", "select calendar.dav ? (manifest)"])
    #expect(after(scene.plan().plan.steps, .select) == ["surface.host dav.example:8443"])
    scene = Scene()
    scene.declareAccount(allowed: false)
    #expect(
      scene.steps() == [
        "allow surface.host oauth2.googleapis.com (manifest)", "allow surface.host www.googleapis.com (manifest)",
        "authorize calendar.home never (manifest)",
      ])
    let elsewhere = AccountFacts(
      service: .google, account: "ada@gmail.com", client: "1",
      endpoints: [.authorize: "https://login.example/a", .token: "http://127.0.0.1:99/t"])
    scene = Scene()
    scene.declareAccount("home", elsewhere, allowed: false)
    #expect(
      scene.steps().filter { $0.hasPrefix("allow") } == [
        "allow surface.host 127.0.0.1:99 (manifest)", "allow surface.host login.example (manifest)",
        "allow surface.host www.googleapis.com (manifest)",
      ])
  }

  @Test("a service account gets its tokens by itself")
  func alone() {
    var scene = Scene()
    scene.declareAccount(signIn: .serviceAccount)
    #expect(scene.steps() == ["refresh calendar.home first (manifest)", "select calendar.home ? (manifest)"])
    #expect(after(scene.plan().plan.steps, .select).last == "calendar.home")
    scene.recordAccount(isRefreshable: false, over: true)
    scene.answer(.expired)
    #expect(scene.steps() == ["refresh calendar.home expired (expiry)"])
    scene.recordAccount(isRefreshable: true)
    #expect(
      scene.steps() == ["refresh calendar.home first (manifest)"], "a person's tokens are not a service account's")
  }

  @Test("a token out of a source is taken over where somebody would have to sign in, and the same one never twice")
  func tokens() {
    var scene = Scene()
    scene.declareAccount(token: remote("token"))
    scene.observed.tokens[named("home")] = .value(print("one", of: "home"), index: 0, looksRight: true)
    let adoption = [
      "adoptToken calendar.home from vault://token (manifest)", "refresh calendar.home first (manifest)",
      "select calendar.home ? (manifest)",
    ]
    #expect(scene.steps() == adoption)
    #expect(after(scene.plan().plan.steps, .refresh).last == "calendar.home")
    scene.recordAccount(ended: .ended, adopted: "one")
    #expect(scene.steps() == ["authorize calendar.home ended (drift)"])
    scene.observed.tokens[named("home")] = .value(print("two", of: "home"), index: 0, looksRight: true)
    #expect(scene.steps() == Array(adoption.prefix(2)))
    scene.recordAccount(adopted: "one")
    scene.answer(.answered([own]))
    #expect(scene.steps() == [], "a sign-in that stands is left alone")
    scene.recordAccount(ended: .ended, adopted: "one")
    scene.observed.tokens[named("home")] = .missing
    #expect(scene.steps() == ["authorize calendar.home ended (drift)"])
    #expect(scene.faults() == ["secretNotFound calendar.home"])
    scene.observed.tokens[named("home")] = .unreachable(index: 0, reason: "Away.")
    #expect(scene.faults() == ["sourceUnreachable calendar.home"])
    scene.observed.tokens[named("home")] = .notAllowed(index: 0)
    #expect(scene.steps() == Array(adoption.prefix(2)))
  }

  @Test("an account that is no longer declared is signed out, and its hosts lose their leave after that")
  func leaving() {
    var scene = Scene()
    scene.declareAccount()
    scene.accounts = [:]
    scene.recordAccount()
    #expect(
      scene.steps() == [
        "signOut calendar.home revokes (manifest)", "disallow surface.host oauth2.googleapis.com (manifest)",
        "disallow surface.host www.googleapis.com (manifest)",
      ])
    #expect(after(scene.plan().plan.steps, .disallow) == ["calendar.home"])
    scene.declareAccount("again")
    #expect(scene.steps().first == "signOut calendar.home (manifest)", "it would end the other one's tokens too")
    guard case .outside(.signOut(_, let signOut))? = scene.plan().plan.steps.first?.effect else {
      return #expect(Bool(false))
    }
    #expect(signOut.sparing == [named("again")])
    scene.accounts = [:]
    scene.recordAccount(ended: .ended)
    #expect(scene.steps().first == "signOut calendar.home (manifest)", "dead tokens are not given back")
    let facts = AccountFacts(service: .outlook, account: "ada", client: "1")
    scene.recordAccount("home", facts)
    #expect(scene.steps().first == "signOut calendar.home (manifest)", "Microsoft takes none back")
    scene.recordAccount("work", facts)
    #expect(scene.faults() == ["forgetLimit"])
    #expect(scene.faults(Allowances(forget: true)) == [])
  }

  @Test("by hand, a sign-in and a sign-out are plans of their own")
  func byHand() {
    var scene = Scene()
    scene.declareAccount()
    func steps(_ amendment: Amendment) -> [String] {
      Plan.amending(scene.manifest, by: amendment, with: scene.observed, at: now).plan.steps.map(words)
    }
    #expect(
      steps(.signIn(named("home"))) == [
        "authorize calendar.home never (byHand)", "select calendar.home ? (byHand)",
      ])
    #expect(steps(.signOut(named("home"))) == [])
    scene.recordAccount()
    #expect(steps(.signOut(named("home"))) == ["signOut calendar.home revokes (byHand)"])
    #expect(steps(.forget(.calendar(named("home")))) == ["signOut calendar.home (byHand)"])
  }

  @Test(
    "which calendar is meant",
    arguments: [
      (wanted: String?.none, before: AccountCalendar?.none, calendars: [team, own], pick: CalendarPick.chosen(own)),
      (nil, team, [team], .chosen(team)),
      (nil, nil, [team], .open(among: [team])),
      ("Team", nil, [own, team], .chosen(team)),
      ("t1", nil, [own, team], .chosen(team)),
      ("team", nil, [own, team], .unknown(nearest: "Team")),
      ("Nothing like it", nil, [own], .unknown(nearest: nil)),
      ("Team", team, [own], .gone(team)),
      ("t1", team, [own], .gone(team)),
      ("Team", team, [AccountCalendar(id: "t1", name: "Crew")], .renamed(AccountCalendar(id: "t1", name: "Crew"))),
      ("Team", nil, [team, AccountCalendar(id: "t0", name: "Team")], .ambiguous(ids: ["t0", "t1"])),
      ("t1", nil, [team, AccountCalendar(id: "x", name: "t1")], .chosen(team)),
    ] as [(String?, AccountCalendar?, [AccountCalendar], CalendarPick)])
  func picks(wanted: String?, before: AccountCalendar?, calendars: [AccountCalendar], pick: CalendarPick) {
    #expect(CalendarPick(wanted, among: calendars, before: before) == pick)
    #expect(CalendarPick(wanted, among: calendars.reversed(), before: before) == pick)
  }
}
