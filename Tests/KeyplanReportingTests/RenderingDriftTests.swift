import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Drift as text")
struct RenderingDriftTests {
  @Test("each finding says what is so, what follows, and what fixes it, the most urgent first")
  func eighty() {
    #expect(
      DriftText.render(Sample.drift, style: Style()) == """
        keyplan drift   production · store 7f3a… serial 41 · applied 2026-11-18 09:12Z

          broken   target.app.AUTUMN        missing in app.env; last in sync 2026-11-18
                   app.env no longer provides this key
                   keyplan apply   writes the recorded value
          broken   target.app.WEATHER_KEY   value differs; last in sync 2026-11-18
                   programs that read app.env get another value than the recorded one
                   keyplan apply   writes the recorded value
                   keyplan accept target.app.WEATHER_KEY   keeps the new value
          pending  key.claude               dotenv://secrets.env#CLAUDE has a new value
                   the store and the targets still have the old one, stored on
                   2026-07-02
                   keyplan apply   stores the new value
          pending  target.app               an apply was interrupted here, 2026-11-20
                                            23:59Z
                   it is unknown whether this step was finished
                   keyplan apply   checks, and finishes it
          soon     key.weather              expires on 2026-12-01, 90 days after it was
                                            issued
                   issue a new key at the provider, put it where the source points,
                   then: keyplan apply

        error: Target unreachable
          target.web (web.example): The host does not answer. Nothing is changed there.

        4 findings, 1 soon, 1 error.

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
              missing in app.env; last in sync
              2026-11-18
              app.env no longer provides this
              key
              keyplan apply
              writes the recorded value
          broken   target.app.WEATHER_KEY
              value differs; last in sync
              2026-11-18
              programs that read app.env get
              another value than the recorded
              one
              keyplan apply
              writes the recorded value
              keyplan accept
              target.app.WEATHER_KEY
              keeps the new value
          pending  key.claude
              dotenv://secrets.env#CLAUDE has a
              new value
              the store and the targets still
              have the old one, stored on
              2026-07-02
              keyplan apply
              stores the new value
          pending  target.app
              an apply was interrupted here,
              2026-11-20 23:59Z
              it is unknown whether this step
              was finished
              keyplan apply
              checks, and finishes it
          soon     key.weather
              expires on 2026-12-01, 90 days
              after it was issued
              issue a new key at the provider,
              put it where the source points,
              then: keyplan apply

        error: Target unreachable
          target.web (web.example): The host
          does not answer. Nothing is changed
          there.

        4 findings, 1 soon, 1 error.

        """)
  }

  @Test("no drift is one line")
  func none() {
    let text = DriftText.render(DriftReport([], store: Sample.store), style: Style())
    #expect(text == "No drift. The store, the sources and the targets agree.\n")
    var left = LookedAt()
    left.isEmpty = true
    let empty = DriftText.render(DriftReport([], store: Sample.store, left: left), style: Style())
    #expect(empty == "No drift. No sources or targets to compare.\n")
  }

  @Test("what could not be asked is never called free of drift")
  func unknown() {
    let text = DriftText.render(DriftReport([], diagnostics: [Sample.unreachable]), style: Style())
    #expect(text.hasSuffix("\n\nNo drift in what was checked. 1 error.\n"))
  }

  @Test("an error beside findings that were left out is not called free of drift")
  func unknownBesideLeftOut() {
    let known = LeftOut(
      Finding(Sample.fact(.targetChanged), at: .key(Sample.key("a")), level: .broken, since: nil), .ignored)
    let report = DriftReport([], diagnostics: [Sample.unreachable], leftOut: [known])
    let text = DriftText.render(report, style: Style())
    #expect(text.contains("\nNo other drift in what was checked. 1 error.\n"), "\(text)")
    #expect(DriftMarkdown.render(report).contains("**No other drift in what was checked.**"))
  }

  @Test("what an apply is changing meanwhile, and what was not read, is named beside every claim")
  func notJudged() {
    var left = LookedAt()
    left.running = Moment(seconds: 1_795_000_000)
    left.notRead = [.key(Sample.key("a")), .key(Sample.key("b"))]
    let known = LeftOut(
      Finding(Sample.fact(.targetChanged), at: .key(Sample.key("a")), level: .broken, since: nil), .ignored)
    let running = "An apply has been running since 2026-11-18"
    for report in [
      DriftReport([], diagnostics: [Sample.unreachable], left: left),
      DriftReport([], diagnostics: [Sample.unreachable], leftOut: [known], left: left),
      DriftReport([], leftOut: [known], left: left), DriftReport([], left: left),
    ] {
      #expect(DriftText.render(report, style: Style()).replacing("\n", with: " ").contains(running))
      #expect(DriftMarkdown.render(report).contains(running))
    }
    let sentences = "in what was checked. 2 sources were not read. An apply has been running since 2026-11-18 11:06Z:"
    for (report, claim) in [
      (DriftReport([], leftOut: [known], left: left), "No other drift"),
      (DriftReport([], diagnostics: [Sample.unreachable], left: left), "No drift"),
    ] {
      let text = DriftText.render(report, style: Style()).replacing("\n", with: " ")
      #expect(text.contains("\(claim) \(sentences)"), "\(text)")
    }
  }

  @Test("every kind has its words, and names only commands that there are", arguments: Finding.Kind.allCases)
  func kinds(_ kind: Finding.Kind) {
    let words = FindingMessages(Finding(Sample.fact(kind), at: .key(Sample.key("a")), level: .pending, since: nil))
    #expect(!words.headline.isEmpty)
    let commands = [
      "keyplan apply", "keyplan verify", "keyplan calendar sign-in NAME", "keyplan calendar refresh NAME",
    ]
    #expect(words.command.map { commands.contains($0) || $0.hasPrefix("keyplan keys rotate ") } ?? true)
    let outside: Set<Finding.Kind> = [
      .sourceMissing, .passwordRefused, .accessRefused, .calendarGone, .calendarMisnamed, .calendarUnclear,
      .issuedOutdated, .unexpectedFormat,
    ]
    #expect(words.fix.contains("keyplan apply") || words.command != nil || outside.contains(kind))
  }
}
