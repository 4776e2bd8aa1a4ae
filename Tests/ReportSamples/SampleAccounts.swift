package import KeyplanModel
package import KeyplanPlanning
internal import KeyplanReporting

extension Sample {
  package static func account(_ name: String) -> Identifier<Account> {
    guard let account = Identifier<Account>(name) else { preconditionFailure("\(name) is no name") }
    return account
  }

  package static let google = AccountFacts(service: .google, account: "ada@gmail.com", client: "1234.apps.example")
  package static let outlook = AccountFacts(
    service: .outlook, account: "ada@contoso.com", client: "6731de76", tenant: "contoso.com",
    endpoints: [.token: "https://id.example/t"])
  package static let dav = AccountFacts(service: .caldav, account: "ada", url: "https://dav.example/")
  package static let team = AccountCalendar(id: "t1", name: "Team")

  /// One step of each action at calendar services.
  package static let calendars: [Step] = [
    Step(.person(.signIn(account("home"), AccountNeed(facts: google, reason: .ended))), because: .drift),
    Step(
      .person(
        .signIn(account("partly"), AccountNeed(facts: google, reason: .scopesMissing, missing: ["calendar.readonly"]))),
      because: .drift),
    Step(.store(.adoptToken(account("ci"), from: "env://CI_TOKEN", outlook)), because: .manifest),
    Step(
      .outside(.refresh(account("work"), AccountRefresh(facts: google, reason: .expired, epoch: 3))),
      because: .expiry),
    Step(
      .outside(.select(account("dav"), AccountSelection(facts: dav, calendar: team, wanted: "Team", was: nil))),
      because: .manifest),
    Step(
      .outside(.select(account("work"), AccountSelection(facts: google, calendar: nil, wanted: nil, was: team))),
      because: .manifest),
    Step(
      .outside(.signOut(account("old"), AccountSignOut(facts: google, revokes: true))), because: .manifest),
    Step(
      .outside(.signOut(account("older"), AccountSignOut(facts: outlook, revokes: false))), because: .manifest),
  ]

  /// What a token's original comes to.
  package static let tokenRemoval = Step(
    .outside(.removeOriginal(migration: 1, of: .account(account("work")), from: "file://~/.local/share/gcalcli/oauth")),
    because: .migration, after: [.calendar(account("work"))])

  package static let accounts: [Identifier<Account>: AccountRecord] = [
    account("home"): AccountRecord(
      revision: 4, facts: outlook, calendar: AccountCalendar(id: "c\u{202e}1", name: "Team\u{202e}\u{1b}[31m"),
      signIn: SignInRecord(
        signedInAt: moment("2026-10-01"), refreshedAt: moment("2026-11-20"), access: .until(moment("2026-11-20")),
        isRefreshable: true, isTesting: true, missing: ["x"], endsAt: moment("2026-12-20"), epoch: 9,
        refreshBegan: moment("2026-11-20"), unanswered: moment("2026-11-20"),
        ended: AccountEnd(.ended, code: "invalid_grant", at: moment("2026-11-20")), refreshAt: moment("2026-11-20"))),
    account("dav"): AccountRecord(revision: 4, facts: dav, calendar: team),
  ]
}
