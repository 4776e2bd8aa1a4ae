import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Annotations for GitHub")
struct RenderingGitHubTests {
  @Test("a diagnostic stands on its line, errors first")
  func lines() {
    #expect(
      GitHubText.annotations([Sample.warning, Sample.error]) { "infra/" + $0 } == """
        ::error file=infra/keyplan.yaml,line=8,col=5,endColumn=12,title=Unknown field::"provder" is not a field of a key.%0Ahint: Did you mean `provider`?
        ::warning file=infra/keyplan.yaml,line=21,col=2,endColumn=9,title=Key expires soon::"weather" expires on 2026-12-01, 90 days after it was issued.%0Ahint: Issue a new key at the provider, put it where the source points, and run keyplan apply.

        """)
  }

  @Test("a diagnostic without a place is an annotation on no line")
  func placeless() {
    #expect(
      GitHubText.annotations([Sample.unreachable]).hasPrefix(
        "::error title=Target unreachable::target.web (web.example): "))
  }

  @Test(
    "words cannot end, forge or stop a command",
    arguments: [
      (words: "100 %", text: "100 %25", property: "100 %25"),
      (words: "a\n::error::b", text: "a%0A::error::b", property: "a%0A%3A%3Aerror%3A%3Ab"),
      (words: "a\r\nb", text: "a%0D%0Ab", property: "a%0D%0Ab"),
      (words: "%0A", text: "%250A", property: "%250A"),
      (words: "a,b=c:d", text: "a,b=c:d", property: "a%2Cb=c%3Ad"),
      (words: "\u{1B}[31m", text: "\\u{1b}[31m", property: "\\u{1b}[31m"),
    ])
  func escaping(words: String, text: String, property: String) {
    #expect(GitHubText.command("error", [], words) == "::error::\(text)\n")
    #expect(GitHubText.command("error", [("title", words)], "") == "::error title=\(property)::\n")
  }

  @Test("a finding stands on the line of its declaration")
  func declared() {
    let place = FileLocation(file: "keyplan.yaml", line: 8, column: 3, width: 4)
    let manifest = Manifest(keys: [Sample.key("a"): Key(facts: Sample.claude, sources: [], place: place)])
    let finding = Finding(Sample.fact(.sourceChanged), at: .key(Sample.key("a")), level: .broken, since: nil)
    let text = GitHubText.annotations([finding], declared: DeclaredPlaces(manifest, [:], file: "keyplan.yaml")) {
      "infra/" + $0
    }
    #expect(text.hasPrefix("::error file=infra/keyplan.yaml,line=8,col=3,endColumn=7,title=key.a::"), "\(text)")
  }

  @Test(
    "a finding's level is GitHub's",
    arguments: [(level: Finding.Level.broken, word: "error"), (.pending, "warning"), (.soon, "notice")])
  func findings(level: Finding.Level, word: String) {
    let finding = Finding(Sample.fact(.targetMissing), at: .key(Sample.key("a")), level: level, since: nil)
    #expect(
      GitHubText.annotations([finding])
        == "::\(word) title=key.a::missing in app.env%0Aapp.env no longer provides this key%0Ahint: keyplan apply writes the recorded value\n"
    )
  }

  @Test("a long drift stays within a comment and says what it left out")
  func length() {
    let findings = (0..<5000).map {
      Finding(Sample.fact(.targetMissing), at: .key(Sample.key("key-\($0)")), level: .broken, since: nil)
    }
    let text = DriftMarkdown.render(DriftReport(findings, diagnostics: [Sample.unreachable]))
    #expect(text.utf8.count < PlanMarkdown.limit)
    #expect(text.contains("more findings left out here; `keyplan drift` shows them."))
    #expect(text.contains("**1 error**"))
  }
}
