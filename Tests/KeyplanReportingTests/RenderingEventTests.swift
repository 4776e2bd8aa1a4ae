import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Events are lines")
struct RenderingEventTests {
  @Test("an event's line is these bytes, level, words and time first")
  func bytes() throws {
    let cases: [(Event, String)] = [
      (
        .version("1.2.3"),
        #"{"@level":"info","@message":"keyplan 1.2.3","@timestamp":"2026-11-21T08:00:00Z","formatVersion":1,"keyplan":"1.2.3","type":"version"}"#
      ),
      (
        .plannedChange(Sample.steps[1]),
        #"{"@level":"info","@message":"key.claude: planned to replace","@timestamp":"2026-11-21T08:00:00Z","change":{"action":"replace","address":"key.claude","cause":"sourceChanged"},"type":"planned_change"}"#
      ),
      (
        .applyRun(Sample.invocation, planId: Sample.id),
        #"{"@level":"info","@message":"Applied by ci (octocat) with keyplan apply; GitHub: octocat, deploy, commit c0ffee1, https://github.example/ada/shop/actions/runs/7","@timestamp":"2026-11-21T08:00:00Z","run":{"by":"ci","ci":{"actor":"octocat","commit":"c0ffee1","service":"GitHub","url":"https://github.example/ada/shop/actions/runs/7","workflow":"deploy"},"command":"keyplan apply","id":"kp1-4tq7dk2m9xw3f8ahc5ne6vby1r"},"type":"apply_run"}"#
      ),
      (
        .applyEnd(StepReport(Sample.steps[4], .stale(.notAllowed))),
        #"{"@level":"error","@message":"key.autumn: It is no longer allowed.","@timestamp":"2026-11-21T08:00:00Z","hook":{"action":"forget","address":"key.autumn","reason":"It is no longer allowed.","result":"stale"},"type":"apply_errored"}"#
      ),
      (
        .changeSummary(.apply, ["store": 2, "forget": 1]),
        #"{"@level":"info","@message":"Applied: 1 forget, 2 store.","@timestamp":"2026-11-21T08:00:00Z","changes":{"byAction":{"forget":1,"store":2},"operation":"apply","total":3},"type":"change_summary"}"#
      ),
    ]
    for (event, line) in cases { #expect(try event.line(at: Sample.now) == line + "\n") }
  }

  @Test("no line holds what a step was planned against, nor a line feed from a foreign word")
  func secrecy() throws {
    let words = "A place\nof two lines"
    let finding = Finding(
      Sample.fact(.targetChanged, at: words), at: .entry(Sample.target("app"), name: "A"), level: .broken, since: nil)
    let lines =
      try Sample.steps.map { try Event.plannedChange($0).line(at: Sample.now) } + [
        try Event.resourceDrift(finding).line(at: Sample.now)
      ]
    for line in lines {
      #expect(line.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
      #expect(!line.contains("ground") && !line.contains("fingerprint"))
      #expect(!line.contains(words))
    }
  }
}
