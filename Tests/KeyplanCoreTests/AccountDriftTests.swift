import KeyplanCore
import Testing

@Suite struct AccountDriftTests {
  private func words(_ findings: [Finding]) -> [String] {
    findings.map { "\($0.level) \($0.kind) \($0.address): \($0.detail ?? "")" }
  }

  @Test("what ended says since when, and why as far as its times tell")
  func ended() {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount(ended: .ended)
    #expect(
      words(scene.findings()) == [
        "broken signInEnded calendar.home: Google refuses the refresh token (expired or revoked)"
      ])
    #expect(scene.findings().first?.since == now - Interval(seconds: 60))
    scene.recordAccount(signedIn: now - .days(7) - Interval(seconds: 3600), ended: .ended)
    #expect(
      words(scene.findings()) == [
        "broken testingEnded calendar.home: Google refuses the refresh token, 7 days after consent: "
          + "probably an app in testing mode"
      ])
    scene.recordAccount(signedIn: now - .days(12), isTesting: true, ended: .ended)
    #expect(scene.findings().map(\.kind) == [.testingEnded])
    scene.recordAccount(signedIn: now - .days(200), ended: .ended)
    #expect(scene.findings().first?.detail == "Google refuses the refresh token, which nothing used for 199 days")
    scene.recordAccount(ended: .rotationLost)
    #expect(scene.findings().first?.detail?.hasSuffix("the answer that had the next one was lost") == true)
  }

  @Test("an outage is never taken for a no, and a token that is over is not asked")
  func unreachable() {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount()
    scene.answer(.unreachable(reason: "Away."))
    var (findings, told) = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(findings == [])
    #expect(told.map(\.code) == [.accountUnreachable])
    #expect(told.allSatisfy { $0.code.isUnreachable })
    scene.recordAccount(over: true)
    scene.answer(.expired)
    (findings, told) = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(findings == [])
    #expect(told.map(\.code) == [.accountNotAsked])
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
      (.personNeeded, "broken signInEnded"),
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
      (AccountFacts.Service.google, true, -4, "", ""),
      (.google, true, -6, "signInEndsSoon", "7 days after consent"),
      (.google, false, -160, "", ""),
      (.google, false, -170, "signInUnused", "unused for 180 days"),
      (.outlook, false, -70, "", ""),
      (.outlook, false, -80, "signInUnused", "unused for 90 days"),
    ] as [(AccountFacts.Service, Bool, Int64, String, String)])
  func forecasts(service: AccountFacts.Service, isTesting: Bool, days: Int64, kind: String, words: String) {
    var scene = Scene()
    let facts = AccountFacts(service: service, account: "ada@gmail.com", client: "1")
    scene.declareAccount("home", facts)
    scene.recordAccount("home", facts, signedIn: now + .days(days), isTesting: isTesting)
    scene.answer(.answered([own]))
    #expect(scene.findings().map { "\($0.kind)" }.joined() == kind)
    #expect(scene.findings().allSatisfy { $0.level == .soon })
    #expect(scene.findings().first?.detail?.contains(words) ?? kind.isEmpty)
    #expect(scene.faults() == (kind.isEmpty ? [] : ["signInEndsSoon calendar.home"]))
    scene.recordAccount("home", facts, signedIn: now + .days(days), refreshed: now - .days(1), isTesting: isTesting)
    #expect(scene.findings().map { "\($0.kind)" }.joined() == (isTesting ? kind : ""), "a refresh is a use")
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
