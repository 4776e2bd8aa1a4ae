import KeyplanCore
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Drift as text")
struct RenderingDriftTests {
  @Test("each finding says what is so, what follows, and what mends it, the most urgent first")
  func eighty() {
    #expect(
      DriftText.render(Sample.drift, style: Style()) == """
        keyplan drift   production · store 7f3a… serial 41 · applied 2026-11-18 09:12Z

          broken   target.app.AUTUMN        is gone from app.env; last seen equal
                                            2026-11-18
                   what reads app.env goes without this key
                   keyplan apply   writes the recorded value
          broken   target.app.WEATHER_KEY   holds another value; last seen equal
                                            2026-11-18
                   what reads app.env uses a value that keyplan does not know
                   keyplan apply   writes the recorded value
                   keyplan accept target.app.WEATHER_KEY   keeps the new one
          pending  key.claude               dotenv://secrets.env#CLAUDE has a new value
                   the store and the targets still have the one of 2026-07-02
                   keyplan apply   takes it in
          pending  target.app               an apply was interrupted here, 2026-11-20
                                            23:59Z
                   nobody knows whether this step was finished
                   keyplan apply   looks, and finishes it
          soon     key.weather              reaches its 90 days on 2026-12-01
                   issue a new key at the provider, put it where the source points,
                   then: keyplan apply

        error: Target unreachable
          target.web: the host does not answer. Nothing is changed there.

        4 findings, 1 warning, 1 error.

        """)
  }

  @Test("on a narrow screen too")
  func forty() {
    #expect(
      DriftText.render(Sample.drift, style: Style(width: 40, usesUnicode: false)) == """
        keyplan drift   production -
          store 7f3a... serial 41 -
          applied 2026-11-18 09:12Z

          broken   target.app.AUTUMN
              is gone from app.env; last seen
              equal 2026-11-18
              what reads app.env goes without
              this key
              keyplan apply
              writes the recorded value
          broken   target.app.WEATHER_KEY
              holds another value; last seen
              equal 2026-11-18
              what reads app.env uses a value
              that keyplan does not know
              keyplan apply
              writes the recorded value
              keyplan accept
              target.app.WEATHER_KEY
              keeps the new one
          pending  key.claude
              dotenv://secrets.env#CLAUDE has a
              new value
              the store and the targets still
              have the one of 2026-07-02
              keyplan apply   takes it in
          pending  target.app
              an apply was interrupted here,
              2026-11-20 23:59Z
              nobody knows whether this step was
              finished
              keyplan apply
              looks, and finishes it
          soon     key.weather
              reaches its 90 days on 2026-12-01
              issue a new key at the provider,
              put it where the source points,
              then: keyplan apply

        error: Target unreachable
          target.web: the host does not answer.
          Nothing is changed there.

        4 findings, 1 warning, 1 error.

        """)
  }

  @Test("no drift is one line")
  func none() {
    let text = DriftText.render(DriftReport([], store: Sample.store), style: Style())
    #expect(text == "No drift. What is recorded and found agree.\n")
  }

  @Test("what could not be asked is never called free of drift")
  func unknown() {
    let text = DriftText.render(DriftReport([], diagnostics: [Sample.unreachable]), style: Style())
    #expect(text.hasSuffix("\n\nNo drift in what could be asked. 1 error.\n"))
  }

  @Test("every kind has its words, and names only commands that there are", arguments: Finding.Kind.allCases)
  func kinds(_ kind: Finding.Kind) {
    let words = FindingMessages(Finding(kind, at: .key(Sample.key("a")), level: .pending, since: nil))
    #expect(!words.headline.isEmpty)
    let commands = ["keyplan apply", "keyplan calendar sign-in NAME", "keyplan calendar refresh NAME"]
    #expect(words.command.map(commands.contains) ?? true)
    let outside: Set<Finding.Kind> = [
      .sourceMissing, .passwordRefused, .calendarGone, .calendarMisnamed, .calendarUnclear,
    ]
    #expect(words.mending.contains("keyplan apply") || words.command != nil || outside.contains(kind))
  }
}
