import KeyplanModel
import KeyplanPlanning
import ReportSamples
import TestTools
import Testing

@testable import KeyplanReporting

@Suite("A plan as text")
struct RenderingPlanTests {
  @Test("at 80 columns, particulars stand and wrap under their column")
  func eighty() {
    #expect(
      PlanText.render(Sample.report, style: Style(), at: Sample.now, source: Sample.line) == """
        keyplan plan   production · store 7f3a… serial 41

          - key.autumn         no longer declared
          ~ key.claude         value replaced   dotenv://secrets.env#CLAUDE changed
                                                since 2026-07-02   (source changed)
          > active.assistant   openai-main      was claude
          + key.openai-main    openai gpt-5.1   from env://OPENAI_API_KEY
                                                expires 2027-02-19 (in 90 days)
          → target.app         writes 2 of 2 names   OPENAI_API_KEY (new),
                                                WEATHER_KEY (changed at the target)
                                                (drift)

        warning: Key expires soon
          keyplan.yaml:21:2: "weather" expires on 2026-12-01, 90 days after it was
          issued.
             21 |     weather: { provider: openweather }
                |     ^~~~~~~
          hint: Issue a new key at the provider, put it where the source points, and run
                keyplan apply.

        Plan: 1 to store, 1 to replace, 1 to activate, 1 to sync, 1 to forget.
        1 warning.
        kp1-4tq7dk2m9xw3f8ahc5ne6vby1r

        """)
  }

  @Test("what a person asks for by hand says what it does, with what the records know")
  func byHand() {
    let report = PlanReport(Plan(steps: Sample.amending), store: Sample.store, recorded: Sample.past)
    #expect(
      PlanText.render(report, style: Style(), at: Sample.now) == """
        keyplan plan   store 7f3a… serial 41

          - active.assistant   has no key now      was claude   (by hand)
          - key.autumn         forgotten           can be restored for 30 days
                                                   (by hand)
          - target.app         forgotten           (by hand)
          ~ key.claude         value rolled back   to version 1 of 2025-12-24
                                                   was version 3   (by hand)
          ~ key.weather        value accepted      from target.app.WEATHER_KEY
                                                   (by hand)
          + key.spring         restored            forgotten 2026-11-03 at serial 31
                                                   (by hand)

        Plan: 1 to deactivate, 2 to forget, 1 to roll back, 1 to restore, 1 to accept.

        """)
  }

  @Test("colour goes to signs, headings and asides only")
  func colour() {
    let text = PlanText.render(Sample.report, style: Style(usesColour: true), at: Sample.now, source: Sample.line)
    #expect(
      text == """
        \u{1b}[1mkeyplan plan\u{1b}[0m   production · store 7f3a… serial 41

          \u{1b}[31m-\u{1b}[0m key.autumn         no longer declared
          \u{1b}[33m~\u{1b}[0m key.claude         value replaced   dotenv://secrets.env#CLAUDE changed
                                                since 2026-07-02   \u{1b}[2m(source changed)\u{1b}[0m
          \u{1b}[36m>\u{1b}[0m active.assistant   openai-main      was claude
          \u{1b}[32m+\u{1b}[0m key.openai-main    openai gpt-5.1   from env://OPENAI_API_KEY
                                                expires 2027-02-19 (in 90 days)
          \u{1b}[34m→\u{1b}[0m target.app         writes 2 of 2 names   OPENAI_API_KEY (new),
                                                WEATHER_KEY (changed at the target)
                                                \u{1b}[2m(drift)\u{1b}[0m

        \u{1b}[1;33mwarning:\u{1b}[0m \u{1b}[1mKey expires soon\u{1b}[0m
          keyplan.yaml:21:2: "weather" expires on 2026-12-01, 90 days after it was
          issued.
             \u{1b}[2m21 |\u{1b}[0m     weather: { provider: openweather }
                \u{1b}[2m|\u{1b}[0m     \u{1b}[1;31m^~~~~~~\u{1b}[0m
          \u{1b}[36mhint:\u{1b}[0m Issue a new key at the provider, put it where the source points, and run
                keyplan apply.

        Plan: 1 to store, 1 to replace, 1 to activate, 1 to sync, 1 to forget.
        1 warning.
        \u{1b}[2mkp1-4tq7dk2m9xw3f8ahc5ne6vby1r\u{1b}[0m

        """)
  }

  @Test("a narrow screen without UTF-8 gets rows in two parts and signs in ASCII")
  func forty() {
    let text = PlanText.render(
      Sample.report, style: Style(width: 40, usesUnicode: false), at: Sample.now, source: Sample.line)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(
      text == """
        keyplan plan   production -
          store 7f3a... serial 41

          - key.autumn
              no longer declared
          ~ key.claude
              value replaced
              dotenv://secrets.env#CLAUDE
              changed since 2026-07-02
              (source changed)
          > active.assistant
              openai-main   was claude
          + key.openai-main
              openai gpt-5.1
              from env://OPENAI_API_KEY
              expires 2027-02-19 (in 90 days)
         -> target.app
              writes 2 of 2 names
              OPENAI_API_KEY (new), WEATHER_KEY
              (changed at the target)   (drift)

        warning: Key expires soon
          keyplan.yaml:21:2: "weather" expires
          on 2026-12-01, 90 days after it was
          issued.
             21 |     weather: { provider: op...
                |     ^~~~~~~
          hint: Issue a new key at the provider,
                put it where the source points,
                and run keyplan apply.

        Plan: 1 to store, 1 to replace,
        1 to activate, 1 to sync, 1 to forget.
        1 warning.
        kp1-4tq7dk2m9xw3f8ahc5ne6vby1r

        """)
  }

  @Test("an adoption says where the value comes from, and a removal what it waits for")
  func adopting() {
    let report = PlanReport(Plan(steps: Sample.adopting), recorded: Sample.recorded)
    #expect(
      PlanText.render(report, style: Style(), at: Sample.now) == """
        keyplan plan   no store yet

          - migration.2       original removed
                              dotenv://legacy/production.env#OPENAI_API_KEY
                              once key.openai-main is read back   (migration)
          - migration.3       original removed   file://b   once key.b is read back
                                                 (interrupted)
          + key.openai-main   openai gpt-5.1
                              adopted from dotenv://legacy/production.env#OPENAI_API_KEY
                              expires 2027-02-19 (in 90 days)   (migration)

        Plan: 1 to adopt, 2 to remove.

        """)
    #expect(
      PlanText.render(report, style: Style(width: 40, usesUnicode: false), at: Sample.now) == """
        keyplan plan   no store yet

          - migration.2
              original removed
              dotenv://legacy/production.env#OPENAI_API_KEY
              once key.openai-main is read back
              (migration)
          - migration.3
              original removed   file://b
              once key.b is read back
              (interrupted)
          + key.openai-main
              openai gpt-5.1   adopted from
              dotenv://legacy/production.env#OPENAI_API_KEY
              expires 2027-02-19 (in 90 days)
              (migration)

        Plan: 1 to adopt, 2 to remove.

        """)
  }

  @Test("removals come first, every cause is said, and what widens the reach needs a look")
  func everyEffect() {
    let report = PlanReport(
      Plan(steps: Sample.widening + Sample.removing), diagnostics: [Sample.warning, Sample.unreachable, Sample.error],
      recorded: Sample.recorded)
    #expect(
      PlanText.render(report, style: Style(), at: Sample.now, source: Sample.line) == """
        keyplan plan   no store yet

          - active.assistant   no longer declared   was claude
          - key.weather        retired              expires 2026-12-01 (in 10 days)
                                                    (expiry)
          - surface.path       no longer allowed    /srv/old|er/.env
          - target.app         2 names removed      from app.env: AUTUMN, SPRING
                                                    left as found: WINTER
          ~ key.claude         updated              model claude-opus-5 → claude-opus-6
                                                    expires 2027-01-01 (in 41 days)
                                                    now from env://CLAUDE
                                                    no longer protected   labels changed
          = key.old            settled              nothing is left to do here
                                                    (interrupted)
          ! recipients         2 can open it        can now open it:
                                                    ci (age1ci, plan only)
                                                    can no longer open it: bob
                                                    fresh root key   (review)
          ! surface.command    may run              op read op://team/openai/key
                                                    (review)
          ! surface.host       may contact          bao.example.org:8200   (review)
          → target.app         then runs            reload "a b"

        error: Unknown field
          keyplan.yaml:8:5: "provder" is not a field of a key.
              8 |     provder: anthropic
                |     ^~~~~~~
          hint: Did you mean `provider`?

        error: Target unreachable
          target.web (web.example): The host does not answer. Nothing is changed there.

        warning: Key expires soon
          keyplan.yaml:21:2: "weather" expires on 2026-12-01, 90 days after it was
          issued.
             21 |     weather: { provider: openweather }
                |     ^~~~~~~
          hint: Issue a new key at the provider, put it where the source points, and run
                keyplan apply.

        Plan: 2 to allow, 1 to disallow, 1 to re-encrypt, 1 to update, 1 to deactivate,
        1 to withdraw, 1 to run, 1 to settle, 1 to retire. 2 errors, 1 warning.
        Fix the errors before applying.

        """)
  }

  @Test("colours change nothing that is said")
  func colourOnly() {
    let report = PlanReport(Plan(steps: Sample.steps + Sample.widening), diagnostics: [Sample.error])
    let plain = PlanText.render(report, style: Style(), at: Sample.now)
    let coloured = PlanText.render(report, style: Style(usesColour: true), at: Sample.now)
    #expect(coloured != plain)
    #expect(Strip.colours(coloured) == plain)
  }

  @Test("an empty plan says that all agree, unless errors hold something back")
  func empty() {
    let nothing = PlanReport(Plan(steps: []), store: Sample.store)
    #expect(
      PlanText.render(nothing, style: Style(), at: Sample.now)
        == "keyplan plan   store 7f3a… serial 41\n\nNo changes. The manifest, the store and the targets agree.\n")
    var left = LookedAt()
    left.isEmpty = true
    let empty = PlanReport(Plan(steps: []), store: Sample.store, left: left)
    #expect(
      PlanText.render(empty, style: Style(), at: Sample.now).hasSuffix(
        "\n\nNo changes. No sources or targets to compare.\n"))
    let held = PlanReport(Plan(steps: []), diagnostics: [Sample.unreachable], store: Sample.store)
    #expect(PlanText.render(held, style: Style(), at: Sample.now).hasSuffix("\n\nNo changes are planned. 1 error.\n"))
  }

  @Test("every cause but the manifest stands behind its step", arguments: Cause.allCases)
  func cause(_ cause: Cause) throws {
    let step = Step(.store(.key(Sample.key("a"), .forget)), because: cause)
    let text = PlanText.render(PlanReport(Plan(steps: [step])), style: Style(), at: Sample.now)
    let row = try #require(text.split(separator: "\n").first { $0.contains("key.a") })
    #expect(row.hasSuffix(cause.word.map { "(\($0))" } ?? "no longer declared"))
    #expect((cause.word == nil) == (cause == .manifest))
  }

  @Test("a long sync names twelve, those that others touched among them, and says how many more there are")
  func manyNames() {
    let entries = (0..<49).map {
      TargetWrite.Entry(name: "NAME_\($0 + 10)", key: Sample.key("a"), reason: $0 == 48 ? .takeOver : .new)
    }
    let write = TargetWrite(destination: Sample.app, entries: entries, total: 49)
    let step = Step(.outside(.sync(Sample.target("app"), write)), because: .manifest)
    let text = PlanText.render(PlanReport(Plan(steps: [step])), style: Style(), at: Sample.now)
    #expect(text.contains("NAME_58 (taken over), and 37 more\n"))
    #expect(text.contains("NAME_20 (new)"))
    #expect(!text.contains("NAME_21"))
  }

  @Test("new variables are in a row of their own, each with those who set it, however many there are")
  func newVariables() throws {
    let entries = (0..<150).map {
      TargetWrite.Entry(name: "NAME_\(100 + $0)_X", key: Sample.key("a"), reason: .new)
    }
    func sync(_ target: String, _ names: [String]) -> Step {
      let write = TargetWrite(destination: Sample.app, entries: entries, total: 150, newVariables: names)
      return Step(.outside(.sync(Sample.target(target), write)), because: .manifest)
    }
    let all = entries.map(\.name)
    let report = PlanReport(
      Plan(steps: [sync("app", all)] + ["b", "c", "d"].map { sync($0, [all[7]]) }), recorded: Recorded())
    let text = PlanText.render(report, style: Style(width: 8000), at: Sample.now)
    let row = try #require(text.split(separator: "\n").first { $0.contains("variables") })
    #expect(row.contains("  ! variables    newly set"), "\(row)")
    for name in all { #expect(row.contains("\(name) (target.app"), "\(name)") }
    #expect(row.contains("NAME_107_X (target.app, target.b, target.c and 1 more),"), "\(row)")
    #expect(row.hasSuffix("NAME_249_X (target.app)   (review)"))
    // A comment has less room.
    let markdown = PlanMarkdown.render(report, at: Sample.now)
    let line = try #require(markdown.split(separator: "\n").first { $0.hasPrefix("- `variables` newly set: ") })
    #expect(line.contains("NAME\\_199\\_X (target.app), and 50 more"), "\(line)")
  }

  @Test("a key's variable is new unless the key is recorded with it, also under an earlier name")
  func settingVariables() {
    func names(_ variable: String, recorded: String? = nil, _ effects: [(KeyWrite) -> KeyEffect]) -> [String] {
      func facts(_ variable: String) -> KeyFacts {
        KeyFacts(provider: "generic", variable: variable, ownsVariable: true, sources: ["env://X"])
      }
      var records = Recorded()
      if let recorded {
        records.keys[Sample.key("old")] = KeyRecord(
          revision: 1, facts: facts(recorded),
          version: KeyVersion(number: 1, fingerprint: Sample.fingerprint(1), storedAt: Sample.now, origin: nil))
      }
      let write = KeyWrite(facts: facts(variable), source: 0)
      let id = effects.count > 1 || recorded == nil ? "new" : "old"
      let steps = effects.map { Step(.store(.key(Sample.key(id), $0(write))), because: .manifest) }
      return NewVariables(PlanReport(Plan(steps: steps), recorded: records)).names.map {
        "\($0.name) \($0.owners.map(\.description).joined(separator: " "))"
      }
    }
    #expect(names("FOO_HOOK", [{ .store($0) }]) == ["FOO_HOOK key.new"])
    #expect(names("FOO_HOOK", [{ .adopt($0, from: "env://X") }]) == ["FOO_HOOK key.new"])
    #expect(names("FOO_TOKEN", [{ .store($0) }]) == [])
    #expect(names("FOO_HOOK", recorded: "OTHER", [{ .replace($0) }]) == ["FOO_HOOK key.old"])
    #expect(names("FOO_HOOK", recorded: "OTHER", [{ .update($0) }]) == ["FOO_HOOK key.old"])
    #expect(names("FOO_HOOK", recorded: "FOO_HOOK", [{ .update($0) }]) == [])
    #expect(names("FOO_HOOK", recorded: "FOO_HOOK", [{ _ in .move(from: Sample.key("old")) }, { .update($0) }]) == [])
    #expect(
      names("FOO_HOOK", recorded: "OTHER", [{ _ in .move(from: Sample.key("old")) }, { .update($0) }])
        == ["FOO_HOOK key.new"])
  }

  @Test("a value that is known only at apply is not said to be another one")
  func unread() {
    let write = KeyWrite(facts: Sample.claude, source: 0)
    let step = Step(.store(.key(Sample.key("claude"), .replace(write))), because: .manifest)
    let text = PlanText.render(PlanReport(Plan(steps: [step])), style: Style(width: 120), at: Sample.now)
    #expect(text.contains("~ key.claude   value may change   from dotenv://secrets.env#CLAUDE   read at apply"))
  }

  @Test("a saved plan, shown without the records, leaves out what only they know")
  func withoutRecords() {
    let report = PlanReport(Plan(steps: Sample.steps + Sample.removing), store: Sample.store)
    let text = PlanText.render(report, style: Style(width: 120), at: Sample.now)
    #expect(
      text.contains(
        "~ key.claude         value replaced       dotenv://secrets.env#CLAUDE changed   (source changed)\n"))
    #expect(text.contains("~ key.claude         updated              anthropic claude-opus-6\n"))
  }
}
