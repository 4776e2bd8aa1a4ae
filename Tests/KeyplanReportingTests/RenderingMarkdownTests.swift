import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("A plan as Markdown")
struct RenderingMarkdownTests {
  @Test("a comment has the sum, what needs a look, errors, steps, warnings and the id")
  func comment() {
    let report = PlanReport(
      Plan(steps: Sample.steps + Sample.widening), diagnostics: [Sample.error, Sample.warning],
      environment: "production", store: Sample.store, id: Sample.id, recorded: Sample.recorded)
    #expect(
      PlanMarkdown.render(report, at: Sample.now) == """
        ### keyplan plan · production

        **Plan: 2 to allow, 1 to re-encrypt, 1 to store, 1 to replace, 1 to activate, 1 to sync, 1 to forget. 1 error, 1 warning. Fix the errors before applying.**
        Store `7f3a…`, serial 41.

        **Review required**

        - `recipients` 2 can open it: can now open it: ci (age1ci, plan only); can no longer open it: bob; fresh root key
        - `surface.command` may run: `op read op://team/openai/key`
        - `surface.host` may contact: `bao.example.org:8200`

        **1 error**

        - **Unknown field** `keyplan.yaml:8:5` "provder" is not a field of a key. *Hint:* Did you mean `provider`?

        | | address | what | particulars | cause |
        |---|---|---|---|---|
        | `-` | `key.autumn` | no longer declared |  | manifest |
        | `~` | `key.claude` | value replaced | `dotenv://secrets.env#CLAUDE` changed since 2026-07-02 | source changed |
        | `>` | `active.assistant` | openai-main | was claude | manifest |
        | `+` | `key.openai-main` | openai gpt-5.1 | from `env://OPENAI_API_KEY`; expires 2027-02-19 (in 90 days) | manifest |
        | `!` | `recipients` | 2 can open it | can now open it: ci (age1ci, plan only); can no longer open it: bob; fresh root key; (review) | manifest |
        | `!` | `surface.command` | may run | `op read op://team/openai/key`; (review) | manifest |
        | `!` | `surface.host` | may contact | `bao.example.org:8200`; (review) | manifest |
        | `→` | `target.app` | writes 2 of 2 names | OPENAI\\_API\\_KEY (new), WEATHER\\_KEY (changed at the target) | drift |

        **1 warning**

        - **Key expires soon** `keyplan.yaml:21:2` "weather" expires on 2026-12-01, 90 days after it was issued. *Hint:* Issue a new key at the provider, put it where the source points, and run keyplan apply.

        `kp1-4tq7dk2m9xw3f8ahc5ne6vby1r`

        """)
  }

  @Test("a long plan folds what is behind the first twenty steps")
  func folds() {
    let text = PlanMarkdown.render(PlanReport(Plan(steps: Many.steps(50))), at: Sample.now)
    let parts = text.components(between: "<details><summary>30 more steps</summary>")
    #expect(parts.count == 2)
    #expect(parts[0].contains("| `key.k00019` |"))
    #expect(!parts[0].contains("| `key.k00020` |"))
    #expect(parts[1].contains("| `key.k00049` |"))
    #expect(!text.contains("Left out"))
  }

  @Test("ten thousand steps and diagnostics stay within one comment, and it says what it left out")
  func bounded() throws {
    let diagnostics = (0..<10_000).map {
      Diagnostic(.secretNotFound, "\"k\($0)\" has no value at env://K\($0).", of: .key(Sample.key("k\($0)")))
    }
    let steps = Many.steps(10_000) + [Step(.store(.key(Sample.key("zz"), .forget)), because: .manifest)]
    let text = PlanMarkdown.render(
      PlanReport(Plan(steps: steps), diagnostics: diagnostics, store: Sample.store, id: Sample.id), at: Sample.now)
    #expect(text.utf8.count <= 65_536)
    #expect(text.utf8.count > 50_000)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `+`") }.count
    #expect(text.contains("Left out here for its length: \(10_000 - rows) to store. `keyplan plan` shows all."))
    #expect(text.contains("and 9,980 more: Secret not found. `keyplan plan --all` shows all."))
    let removal = try #require(text.split(separator: "\n").firstIndex { $0.contains("key.zz") })
    let store = try #require(text.split(separator: "\n").firstIndex { $0.hasPrefix("| `+`") })
    #expect(removal < store)
    #expect(text.hasSuffix("`\(Sample.id)`\n"))
  }

  @Test("what widens the reach stays on top, however long the plan is")
  func looks() {
    let text = PlanMarkdown.render(PlanReport(Plan(steps: Many.steps(10_000) + Sample.widening)), at: Sample.now)
    #expect(text.contains("- `surface.command` may run: `op read op://team/openai/key`\n"))
  }

  static let words: [(text: String, plain: String)] = [
    ("a|b", "a\\|b"), ("`x`", "\\`x\\`"), ("<img src=x>", "&lt;img src=x&gt;"), ("*a* _b_", "\\*a\\* \\_b\\_"),
    ("[a](b)", "\\[a\\](b)"), ("@team", "@<!-- -->team"), ("#12", "#<!-- -->12"), ("&amp;", "&amp;amp;"),
    ("http://x", "http:<!-- -->//x"), ("www.x", "www<!-- -->.x"), ("a\nb", "a\\\\u{a}b"), ("~~x~~", "\\~\\~x\\~\\~"),
    ("$x$", "<span>\\$</span>x<span>\\$</span>"), ("a\u{34f}b", "a\\\\u{34f}b"),
  ]

  @Test("foreign words are shown and do nothing", arguments: words)
  func plain(_ row: (text: String, plain: String)) {
    #expect(MarkdownText.plain(row.text) == row.plain)
  }

  static let codes: [(text: String, code: String)] = [
    ("key.a", "`key.a`"), ("a|b", "<code>a&#124;b</code>"), ("a`b<i>", "<code>a&#96;b&#60;i&#62;</code>"),
    (" a", "<code> a</code>"), ("", "<code></code>"), ("<i>@team", "`<i>@team`"), ("a\nb", "`a\\u{a}b`"),
    ("$x$", "`$x$`"), ("$`x$", "<code>&#36;&#96;x&#36;</code>"), ("a\u{600}", "`a\\u{600}`"),
  ]

  @Test("foreign names are code, in tables too", arguments: codes)
  func code(_ row: (text: String, code: String)) {
    #expect(MarkdownText.code(row.text) == row.code)
  }

  @Test("a name cannot leave its cell")
  func cells() throws {
    let write = TargetWrite(
      destination: Sample.app,
      entries: [TargetWrite.Entry(name: "A|B<b>`\n\n# x", key: Sample.key("a"), reason: .new)], total: 1)
    let text = PlanMarkdown.render(
      PlanReport(Plan(steps: [Step(.outside(.sync(Sample.target("app"), write)), because: .manifest)])),
      at: Sample.now)
    let row = try #require(text.split(separator: "\n").first { $0.contains("target.app") })
    #expect(row.hasSuffix("| A\\|B&lt;b&gt;\\`\\\\u{a}\\\\u{a}#<!-- --> x (new) | manifest |"))
  }
}

extension String {
  fileprivate func components(between separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
