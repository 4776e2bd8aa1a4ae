import Foundation
import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Calendar accounts in plans, drift, outcomes and records")
struct RenderingAccountTests {
  @Test("a plan says what becomes of each, and who is needed")
  func plan() {
    let report = PlanReport(Plan(steps: Sample.calendars), store: Sample.store, id: Sample.id)
    #expect(
      PlanText.render(report, style: Style(width: 100, usesUnicode: false), at: Sample.now)
        == """
        keyplan plan   store 7f3a... serial 41

          - calendar.old      signed out         its tokens are revoked at Google
          - calendar.older    signed out         its tokens are forgotten here; remove keyplan's access in
                                                 the account's settings
          + calendar.ci       token imported     from env://CI_TOKEN
          > calendar.dav      uses Team
          ! calendar.home     sign-in required   Google rejects the refresh token (expired or revoked):
                                                 keyplan calendar sign-in home   (drift)
          ! calendar.partly   sign-in required   the sign-in does not cover calendar.readonly:
                                                 keyplan calendar sign-in partly   (drift)
          ~ calendar.work     token refreshed    the current one has expired   (expiry)
          > calendar.work     uses its own       was Team   once it can be asked

        Plan: 1 to import, 1 to refresh, 2 to select, 2 to sign out. 2 accounts require a sign-in.
        kp1-4tq7dk2m9xw3f8ahc5ne6vby1r

        """)
  }

  @Test("at 80 columns the command stays in one piece")
  func eighty() {
    let text = PlanText.render(
      PlanReport(Plan(steps: [Sample.calendars[0]])), style: Style(), at: Sample.now)
    #expect(
      text == """
        keyplan plan   no store yet

          ! calendar.home   sign-in required   Google rejects the refresh token (expired
                                               or revoked):
                                               keyplan calendar sign-in home   (drift)

        No changes. 1 account requires a sign-in.

        """)
  }

  @Test("a refused refresh says what the service said and since when, and proposes no sign-in")
  func refused() {
    let home = Address.calendar(Sample.account("home"))
    let finding = Finding(Sample.fact(.refreshRefused), at: home, level: .broken, since: nil)
    #expect(
      DriftText.render(DriftReport([finding]), style: Style())
        == """
        keyplan drift   no store yet

          broken   calendar.home   Google reports that the client's secret has expired
                                   (invalid_client, AADSTS7000222), first at 2026-11-20
                                   00:00Z
                   its calendars cannot be read
                   keyplan calendar refresh home   tries again, once it is fixed. Create
                   a new secret in the service's console, and put it where the client's
                   secret is read from.

        1 finding.

        """)
    for reason in AccountRefusal.Reason.allCases {
      let refusal = AccountRefusal(reason, since: Sample.now)
      let words = AccountMessages.refused(refusal, .outlook) + reason.hint
      #expect(!words.contains("sign-in NAME") && !words.contains("calendar sign-in"), "\(reason)")
    }
  }

  @Test("drift says since when and why, and what fixes it")
  func drift() {
    let home = Address.calendar(Sample.account("home"))
    let findings = [
      Finding(Sample.fact(.testingEnded), at: home, level: .broken, since: nil),
      Finding(
        Sample.fact(.calendarRenamed, at: "Te\u{202e}am\u{1b}[31m"), at: home, level: .pending, since: nil),
      Finding(Sample.fact(.signInUnused), at: home, level: .soon, since: nil),
    ]
    let report = DriftReport(findings)
    #expect(
      DriftText.render(report, style: Style())
        == """
        keyplan drift   no store yet

          broken   calendar.home   Google rejects the refresh token, 7 days after
                                   consent: probably an app in testing mode
                   its calendars cannot be read
                   keyplan calendar sign-in home
                   and publish the app, or this returns every week
          pending  calendar.home   the calendar "Team" is now called
                                   "Te\\u{202e}am\\u{1b}[31m"
                   keyplan apply   records the new name
          soon     calendar.home   the sign-in expires on 2026-12-01 unless it is used:
                                   Google ends sign-ins that are unused for 180 days
                   keyplan calendar refresh home   uses it

        2 findings, 1 soon.

        """)
    for text in [
      DriftText.render(report, style: Style()), DriftMarkdown.render(report), GitHubText.annotations(findings),
    ] {
      #expect(!text.unicodeScalars.contains { $0 != "\n" && Glyphs.isUnsafe($0) })
      #expect(text.contains("keyplan calendar sign-in home"))
    }
  }

  @Test("an apply says who is needed, and what it could not take back")
  func outcome() {
    let reports = [
      StepReport(Sample.calendars[0], .needsPerson(AccountNeed(facts: Sample.google, reason: .ended))),
      StepReport(Sample.calendars[3], .done),
      StepReport(Sample.calendars[6], .done, note: .notRevoked(reason: "No.")),
    ]
    #expect(
      OutcomeText.render(reports, style: Style())
        == """
          ! calendar.home   sign-in required   Google rejects the refresh token (expired
                                               or revoked):
                                               keyplan calendar sign-in home
          ! calendar.old    done               No. The tokens are deleted here: remove
                                               keyplan's access in the account's
                                               settings.

        Applied: 1 refreshed, 1 signed out. 1 account requires a sign-in.

        """)
    #expect(
      reports.compactMap(OutcomeText.progress).joined()
        == """
        refreshed calendar.work
        signed out calendar.old

        """)
  }

  @Test("JSON says the same with what could steer a terminal written out")
  func json() throws {
    let name = "Te\u{202e}am \u{1b}[31m\u{7f}\u{9b}\u{e0041} Gr\u{fc}n"
    let text = try Document.text(["name": name])
    #expect(text == #"{"name":"Te\u202eam \u001b[31m\u007f\u009b\udb40\udc41 Grün"}"# + "\n")
    #expect(try JSONDecoder().decode([String: String].self, from: Data(text.utf8)) == ["name": name])
  }

  @Test("a record shows no token, and nothing that a service's names could do to a terminal")
  func record() throws {
    var recorded = Sample.recorded
    recorded.accounts = Sample.accounts
    let text = try #require(
      ShowText.record(.calendar(Sample.account("home")), in: recorded, style: Style(), at: Sample.now))
    #expect(
      text == """
        calendar.home
          service        outlook
          account        ada@contoso.com
          client         6731de76
          tenant         contoso.com
          endpoints      token: https://id.example/t
          calendar       Team\\u{202e}\\u{1b}[31m (c\\u{202e}1)
          signed in      2026-10-01 00:00Z
          refreshed      2026-11-20 00:00Z
          access token   until 2026-11-20 00:00Z, expired
          refreshable    yes
          not granted    x
          ended          2026-11-20 00:00Z (invalid_grant)
          refresh began  2026-11-20 00:00Z

        """)
    #expect(ShowText.store(recorded, style: Style()).contains("accounts     dav (ada), home (ada@contoso.com)"))
  }
}
