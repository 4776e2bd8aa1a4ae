import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("The outcome of an apply as text")
struct RenderingOutcomeTests {
  @Test("what is left undone is listed with its reason, and what to run next")
  func partly() {
    #expect(
      OutcomeText.render(Sample.outcome, style: Style()) == """
          x target.app   failed      Permission denied while writing app.env.
          ~ key.claude   stale       The value for key.claude was changed since it was
                                     planned.
          . key.autumn   not tried   It waits for target.app.

        Applied: 1 stored, 1 activated. 1 failed, 1 stale, 1 not tried.
        Completed steps are recorded. Fix the failures and run keyplan apply again to
        continue.

        """)
  }

  @Test("a step of which some names are written is applied in part")
  func namesWritten() {
    let failure = StepFailure.closed(
      [ClosedValue(key: Sample.key("claude"), recipients: [Sample.recipient("ops")])],
      StepFailure.NamesDone(done: 1, all: 2))
    let text = OutcomeText.render([StepReport(Sample.steps[3], .failed(failure))], style: Style(width: 200))
    #expect(text.contains("Applied in part. 1 failed.\nCompleted steps and names are recorded."), "\(text)")
    #expect(text.contains("1 of 2 names are done."), "\(text)")
  }

  @Test("a withdrawal that removes nothing is a release")
  func released() {
    let removal = TargetRemoval(
      destination: Destination(type: "dotenv", location: ".env"), names: [], released: ["A"], isMove: false)
    let step = Step(.outside(.withdraw(Sample.target("app"), removal)), because: .manifest, on: Precondition())
    #expect(OutcomeText.progress(StepReport(step, .done)) == "released target.app\n")
    #expect(Tally([step]).planned == ["1 to release"] && Tally([step]).done == ["1 released"])
    #expect(Tally([step]).byAction == ["withdraw": 1])
  }

  @Test("steps that failed for one reason are one row, which names them")
  func together() {
    let reason = StepResult.failed(.reported(reason: "bao.example is unreachable.", isUnreachable: true))
    let reports = Sample.steps.map { StepReport($0, reason) }
    let text = OutcomeText.render(reports, style: Style(width: 400))
    #expect(text.split(separator: "\n").count { $0.contains("bao.example is unreachable.") } == 1, "\(text)")
    for step in Sample.steps { #expect(text.contains(step.address.description), "\(text)") }
    let all = OutcomeText.render(reports, style: Style(width: 400, showsAll: true))
    #expect(all.split(separator: "\n").count { $0.contains("bao.example is unreachable.") } == reports.count, "\(all)")
  }

  @Test("where the store failed, nothing says that all that was done is recorded")
  func unrecorded() {
    let report = StepReport(
      Sample.steps[0], .failed(.notRecorded(StoreError(.io, "Disk full."))))
    let text = OutcomeText.render([report], isRecorded: false, style: Style())
    #expect(!text.contains("steps are recorded") && text.contains("The store could not record all"), "\(text)")
  }

  @Test("all done is one line")
  func done() {
    let reports = Sample.steps.map { StepReport($0, .done) }
    #expect(
      OutcomeText.render(reports, style: Style())
        == "Applied: 1 stored, 1 replaced, 1 activated, 1 synced, 1 forgotten.\n")
  }

  @Test("nothing done says so")
  func nothing() {
    let reports = [StepReport(Sample.steps[0], .stale(.notAllowed))]
    let text = OutcomeText.render(reports, style: Style())
    #expect(
      text.contains("\nNothing was applied. 1 stale.\nSomething changed after the plan was made. Run keyplan plan"))
  }

  @Test("a pipe gets one line for each step that is done; what is not is said once, at the end")
  func progress() {
    #expect(
      Sample.outcome.compactMap(OutcomeText.progress).joined() == """
        stored key.openai-main
        activated active.assistant

        """)
  }

  @Test("a reason with line feeds stays on its line")
  func oneLine() {
    let report = StepReport(Sample.steps[0], .failed(.reported(reason: "first\nsecond\u{1b}[0m", isUnreachable: false)))
    #expect(OutcomeText.render([report], style: Style()).contains("first\\u{a}second\\u{1b}[0m\n"))
  }

  @Test("the live line never wraps", arguments: [20, 30, 40, 80])
  func live(width: Int) {
    let long = LiveLine(total: 12, done: 3, waiting: ["forgetting key." + String(repeating: "k", count: 63)])
    for unicode in [true, false] {
      let style = Style(width: width, usesUnicode: unicode)
      let line = long.text(style)
      #expect(line.hasPrefix("[3/12] forg"))
      #expect(line.hasSuffix(style.text(.ellipsis)))
      #expect(Glyphs.columns(of: line) == width - 1)
    }
  }

  @Test("the live line says what is done of all, and what is waited for")
  func waiting() {
    var line = LiveLine(total: 7)
    for name in ["syncing target.app", "asking exec://op", "syncing target.web"] { line.began(name) }
    line.ended("asking exec://op")
    line.done = 2
    #expect(line.text(Style()) == "[2/7] syncing target.app, syncing target.web …")
    line.ended("syncing target.app")
    line.ended("syncing target.web")
    #expect(line.text(Style()) == "[2/7] …")
    #expect(LiveLine(waiting: ["asking 12 exec sources"]).text(Style()) == "asking 12 exec sources …")
  }

  @Test("every action has its participles")
  func words() {
    #expect(
      Action.allCases.map(\.participle) == [
        "allowed", "disallowed", "recorded", "re-encrypted", "moved", "minted", "stored", "adopted",
        "replaced",
        "updated", "activated",
        "deactivated",
        "synced",
        "withdrawn", "run", "removed",
        "settled", "retired", "forgotten", "rolled back", "restored", "accepted", "revoked", "purged",
        "signed in", "imported",
        "refreshed", "selected", "signed out", "issued by hand", "renewed", "disabled", "revoked",
      ])
    #expect(
      Action.allCases.map(\.gerund) == [
        "allowing", "disallowing", "recording", "re-encrypting", "moving", "minting", "storing", "adopting",
        "replacing",
        "updating", "activating",
        "deactivating", "syncing",
        "withdrawing", "running", "removing", "settling", "retiring", "forgetting", "rolling back", "restoring",
        "accepting", "revoking", "purging",
        "signing in", "importing", "refreshing", "selecting", "signing out", "issuing by hand", "renewing", "disabling",
        "revoking",
      ])
  }
}
