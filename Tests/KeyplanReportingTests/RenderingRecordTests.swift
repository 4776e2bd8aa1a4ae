import KeyplanModel
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Keys and records as text")
struct RenderingRecordTests {
  @Test("the key table shows everything where there is room")
  func wide() {
    #expect(
      KeysText.render(Sample.listing, style: Style(width: 120), at: Sample.now) == """
            NAME          PROVIDER      MODEL           VALUE        AGE        EXPIRES                   ACTIVE IN
          ○ autumn        generic                       ••••••••     322 days                             (no longer declared)
          ● claude        anthropic     claude-opus-5   ••••••••     141 days                             assistant
          ○ openai-main   openai        gpt-5.1         (no value)
          ○ weather       openweather                   ••••••••     80 days    2026-12-01 (in 10 days)

        """)
  }

  @Test("at 80 columns what matters least is left out")
  func eighty() {
    #expect(
      KeysText.render(Sample.listing, style: Style(), at: Sample.now) == """
            NAME          PROVIDER      VALUE        EXPIRES      ACTIVE IN
          ○ autumn        generic       ••••••••                  (no longer declared)
          ● claude        anthropic     ••••••••                  assistant
          ○ openai-main   openai        (no value)
          ○ weather       openweather   ••••••••     2026-12-01

        """)
  }

  @Test("at 40 columns names and values stay")
  func forty() {
    #expect(
      KeysText.render(Sample.listing, style: Style(width: 40, usesUnicode: false), at: Sample.now) == """
            NAME          VALUE
          o autumn        ********
          * claude        ********
          o openai-main   (no value)
          o weather       ********

        """)
  }

  @Test("without keys it says how to have one")
  func empty() {
    let text = KeysText.render(KeyListing(nil, Recorded(), at: Sample.now), style: Style(), at: Sample.now)
    #expect(text == "No keys yet. Declare one under keys: in the manifest, then run keyplan plan.\n")
  }

  @Test("a key is shown with its history")
  func key() throws {
    let text = try #require(
      ShowText.record(.key(Sample.key("claude")), in: Sample.recorded, style: Style(), at: Sample.now))
    #expect(
      text == """
        key.claude
          provider   anthropic
          model      claude-opus-5
          variable   ANTHROPIC_API_KEY
          value      ••••••••
          version    3, stored 2026-07-02 10:30Z from dotenv://secrets.env#CLAUDE
          sources    dotenv://secrets.env#CLAUDE
          protected  yes
          labels     team=apps
          active in  assistant
          history    2, stored 2026-03-01 00:00Z by hand
                     1, stored 2025-12-24 00:00Z from env://ANTHROPIC_API_KEY

        """)
  }

  @Test("a target is shown with what it holds")
  func target() throws {
    let text = try #require(
      ShowText.record(.target(Sample.target("app")), in: Sample.recorded, style: Style(), at: Sample.now))
    #expect(
      text == """
        target.app
          place  app.env (dotenv)

          · AUTUMN        autumn    synced 2026-11-18 00:00Z
          · WEATHER_KEY   weather   synced 2026-11-18 00:00Z

        """)
  }

  @Test("the store is shown with what is in it")
  func store() {
    #expect(
      ShowText.store(Sample.recorded, style: Style()) == """
        store 7f3a09c2d4e6810fb5a7c9d3e1f20468
          serial       41
          epoch        2
          applied      2026-11-18 09:12Z
          keys         3
          slots        1
          targets      1 (2 names)
          recipients   anna, ci (plan only)
          may touch    command op read op://team/weather/key
          interrupted  target.app since 2026-11-20 23:59Z

        """)
    #expect(ShowText.store(Recorded(), style: Style()) == "There is no store yet. Create one with keyplan init.\n")
  }

  static let addresses: [(address: String, shows: String?)] = [
    ("active.assistant", "active.assistant\n  active  claude\n  since   2026-02-01 00:00Z\n"),
    ("target.app.AUTUMN", "target.app.AUTUMN\n  key     autumn\n  synced  2026-11-18 00:00Z\n"),
    ("recipients", "recipients\n  anna  age1anna\n  ci    age1ci (plan only)\n"),
    (
      "surface.command op read op://team/weather/key", "surface.command op read op://team/weather/key\n  allowed  yes\n"
    ),
    ("key.nobody", nil), ("active.nobody", nil), ("target.nobody", nil), ("target.app.NOBODY", nil),
    ("surface.host nobody", nil), ("calendar.home", nil),
  ]

  @Test("every record is found by its address, and nothing else is", arguments: addresses)
  func record(_ row: (address: String, shows: String?)) throws {
    let address = try #require(Address(row.address))
    #expect(ShowText.record(address, in: Sample.recorded, style: Style(), at: Sample.now) == row.shows)
  }

  static let days: [(moment: String, words: String)] = [
    ("2026-11-19T23:59:59Z", "2 days ago"), ("2026-11-20T23:59:59Z", "yesterday"), ("2026-11-21T00:00:00Z", "today"),
    ("2026-11-21T23:59:59Z", "today"), ("2026-11-22T00:00:00Z", "tomorrow"), ("2027-02-19T08:00:00Z", "in 90 days"),
  ]

  @Test("days are counted by dates", arguments: days)
  func relative(_ row: (moment: String, words: String)) {
    #expect(Spans.relative(Sample.moment(row.moment), to: Sample.now) == row.words)
  }
}
