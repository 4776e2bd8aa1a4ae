import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Who applied which plan")
struct RenderingRunTests {
  private static let hostile = JobFacts(
    recorded: "GitHub", actor: "**ada**<img src=x>\u{1b}[31m", workflow: "| a | @team", commit: "c0ffee1", url: nil)

  private static func store(_ plan: AppliedPlan?) -> StoreState {
    StoreState(
      id: Sample.store.id, serial: 41, epoch: 2, appliedAt: Sample.store.appliedAt, applied: [plan].compactMap(\.self))
  }

  private static func recorded() -> Recorded {
    var recorded = Recorded(store: Sample.appliedStore)
    recorded.applied = Sample.applied
    return recorded
  }

  @Test("the history shows the last plans, newest first, and which were not completed")
  func history() {
    #expect(
      HistoryText.render(RecordHistory(Self.recorded()), style: Style()) == """
        applied
          · 2026-11-18 09:12Z   by ci (octocat)   (not completed)   with keyplan apply
                                2 stored, 1 synced, 3 later   GitHub: octocat, deploy,
                                commit c0ffee1,
                                https://github.example/ada/shop/actions/runs/7   kp1-ci
          · 2026-11-17 10:00Z   by ada            with keyplan keys set   1 stored
                                                  kp1-ada
          · 2026-11-01 00:00Z                     kp1-old

        """)
    var many = Self.recorded()
    many.applied = (0..<12).map { AppliedPlan(id: "kp1-\($0)", at: Sample.now) }
    let text = HistoryText.render(RecordHistory(many), style: Style())
    #expect(text.hasPrefix("applied   2 earlier ones: --json\n") && text.contains("kp1-2") && !text.contains("kp1-1\n"))
    // One record has a history of its own.
    #expect(RecordHistory(many, only: .key(Sample.key("a"))).runs == [])
  }

  @Test("documents say who, in which job, and whether it was all")
  func documents() throws {
    let line = try Document.text(HistoryDocument(RecordHistory(Self.recorded()), store: nil))
    #expect(
      line.contains(
        #""runs":[{"at":"2026-11-18T09:12:00Z","by":"ci","ci":{"actor":"octocat","commit":"c0ffee1","service":"GitHub","url":"https://github.example/ada/shop/actions/runs/7","workflow":"deploy"},"command":"keyplan apply","done":{"later":3,"store":2,"sync":1},"id":"kp1-ci","incomplete":true},{"at":"2026-11-17T10:00:00Z","by":"ada","command":"keyplan keys set","done":{"store":1},"id":"kp1-ada","incomplete":false},{"at":"2026-11-01T00:00:00Z","id":"kp1-old","incomplete":false}]"#
      ), "\(line)")
    let shown = try #require(try Document.recorded(Self.recorded()))
    #expect(shown.contains(#""lastApply":{"at":"2026-11-18T09:12:00Z","by":"ci","#))
    let drift = try Document.drift(DriftReport([], store: Sample.appliedStore))
    #expect(drift.contains(#""lastApply":{"at":"2026-11-18T09:12:00Z","by":"ci","#))
    #expect(!(try Document.drift(DriftReport([], store: Sample.store)).contains("lastApply")))
  }

  @Test("headings name who applied last; of stores that earlier versions wrote, only the time is known")
  func heading() {
    #expect(Sample.appliedStore.lastApply(Style()) == "2026-11-18 09:12Z by ci (octocat) (not completed)")
    #expect(Sample.store.lastApply(Style()) == "2026-11-18 09:12Z")
    #expect(Self.store(Sample.applied[0]).lastApply(Style()) == "2026-11-18 09:12Z")
    #expect(Self.store(Sample.applied[1]).lastApply(Style()) == "2026-11-17 10:00Z by ada")
    #expect(StoreState(id: "", serial: 1, epoch: 1).lastApply(Style()) == nil)
    let shown = ShowText.store(Recorded(store: Sample.appliedStore), style: Style())
    #expect(
      shown.contains(
        """
          applied  2026-11-18 09:12Z by ci (octocat) (not completed)
          with     keyplan apply
          done     2 stored, 1 synced, 3 later
          in CI    GitHub: octocat, deploy, commit c0ffee1,
                   https://github.example/ada/shop/actions/runs/7

        """), "\(shown)")
  }

  @Test("what a CI service says has no effect in Markdown, on the page or on a terminal")
  func foreign() {
    let plan = AppliedPlan(
      id: "kp1-x", at: Sample.now,
      invocation: Invocation(command: "keyplan apply", recipient: Sample.recipient("ci"), job: Self.hostile))
    let store = Self.store(plan)
    #expect(
      DriftMarkdown.render(DriftReport([], store: store)).hasSuffix(
        "\nLast apply: 2026-11-21 08:00Z by ci (\\*\\*ada\\*\\*&lt;img src=x&gt;\\\\u{1b}\\[31m).\n"))
    var recorded = Recorded(store: store)
    recorded.applied = [plan]
    for text in [
      HistoryText.render(RecordHistory(recorded), style: Style()), ShowText.store(recorded, style: Style()),
    ] {
      #expect(text.contains("\\u{1b}[31m") && !text.contains("\u{1b}"), "\(text)")
    }
    let report = InventoryReport(
      DriftReport([], store: store), Manifest(), recorded, accounts: [], file: "keyplan.yaml", at: Sample.now)
    let page = InventoryPage.render(report, version: "1.2.3") { Array($0.prefix(32)) }
    #expect(page.contains("&lt;img src=x&gt;") && !page.contains("<img"))
    #expect(page.contains("<dt>Last apply<dd>2026-11-21 08:00Z by ci (**ada**"))
  }

  @Test("the page says which plans were not completed")
  func page() {
    let report = InventoryReport(
      DriftReport([], store: Sample.appliedStore), Manifest(), Self.recorded(), accounts: [], file: "keyplan.yaml",
      at: Sample.now)
    let page = InventoryPage.render(report, version: "1.2.3") { Array($0.prefix(32)) }
    #expect(
      page.contains(
        "<tr><th scope=row>2026-11-18 09:12Z <em>not completed</em><td>ci (octocat) <small>GitHub: octocat, deploy, commit c0ffee1"
      ))
    #expect(page.contains("<td>ada<td>keyplan keys set<td>1 stored<td><code>kp1-ada</code>"))
  }
}
