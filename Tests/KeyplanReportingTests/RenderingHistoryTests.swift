import KeyplanModel
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("The history of records as text")
struct RenderingHistoryTests {
  @Test("every record is shown with what is still known of it, forgotten ones behind those that have their name now")
  func everything() {
    #expect(
      HistoryText.render(RecordHistory(Sample.past), style: Style()) == """
        active.assistant   written at serial 2
          ● claude   since 2026-02-01 00:00Z

        key.autumn   written at serial 1   retired 2026-05-01 00:00Z
          ● 1   2026-01-03 00:00Z   by hand

        key.claude   written at serial 5
          ○ 4   2026-08-01 00:00Z   dotenv://secrets.env#CLAUDE   same value as 1
                                    rejected
          ● 3   2026-07-02 10:30Z   dotenv://secrets.env#CLAUDE
          ○ 1   2025-12-24 00:00Z   env://ANTHROPIC_API_KEY   rejected

        key.spring   forgotten 2026-11-03 00:00Z at serial 31   kept until 2026-12-03
          ○ 1   2026-01-02 00:00Z   by hand

        key.weather   written at serial 1
          ● 1   2026-09-02 00:00Z   env://WEATHER_KEY

        key.weather   forgotten 2026-11-04 00:00Z at serial 32   kept until 2026-12-04
          ○ 1   2026-01-03 00:00Z   by hand

        key.weather   forgotten 2026-11-02 00:00Z at serial 30   kept until 2026-12-02
          ○ 1   2026-01-01 00:00Z   by hand

        target.app   written at serial 7   app.env
          · AUTUMN        autumn    synced 2026-11-18 00:00Z
          · WEATHER_KEY   weather   synced 2026-11-18 00:00Z

        """)
  }

  @Test("one address shows its records alone, one name of a target that name")
  func one() {
    let spring = RecordHistory(Sample.past, only: .key(Sample.key("spring")))
    #expect(
      HistoryText.render(spring, style: Style(usesUnicode: false)) == """
        key.spring   forgotten 2026-11-03 00:00Z at serial 31   kept until 2026-12-03
          o 1   2026-01-02 00:00Z   by hand

        """)
    let name = RecordHistory(Sample.past, only: .entry(Sample.target("app"), name: "AUTUMN"))
    #expect(
      HistoryText.render(name, style: Style(width: 40)) == """
        target.app   written at serial 7
          app.env
          · AUTUMN
              autumn   synced 2026-11-18 00:00Z

        """)
  }

  @Test("an empty store says how records come about")
  func empty() {
    let text = HistoryText.render(RecordHistory(Recorded()), style: Style())
    #expect(text == "Nothing is recorded yet. keyplan apply records what the manifest declares.\n")
  }
}
