import KeyplanModel
import Testing

/// What a CI service says of a job is foreign text: whoever opens a pull request chooses some of it.
@Suite("The facts of a CI job")
struct JobFactsTests {
  private static let commit = String(repeating: "c0ffee", count: 6) + "1234"
  private static let url = "https://github.com/ada/shop/actions/runs/123456789"

  private func facts(
    actor: String? = nil, workflow: String? = nil, commit: String? = nil, url: String? = nil
  ) -> JobFacts { JobFacts(service: "GitHub", actor: actor, workflow: workflow, commit: commit, url: url) }

  private func size(_ facts: JobFacts) -> Int {
    [facts.actor, facts.workflow, facts.commit, facts.url].compactMap { $0?.utf8.count }.reduce(0, +)
  }

  @Test("short texts are kept as they are")
  func short() {
    let facts = facts(actor: "dependabot[bot]", workflow: "Deploy (prod)", commit: Self.commit, url: Self.url)
    #expect(facts.actor == "dependabot[bot]")
    #expect(facts.workflow == "Deploy (prod)")
    #expect(facts.commit == Self.commit)
    #expect(facts.url == Self.url)
  }

  @Test(
    "long names are cut, and neither the commit nor the address",
    arguments: [("a", 5000, 3), ("w", 3, 5000), ("aw", 5000, 5000), ("ä", 300, 300), ("👩‍👩‍👧", 99, 99)])
  func long(what: String, actor: Int, workflow: Int) {
    let facts = facts(
      actor: String(repeating: what, count: actor), workflow: String(repeating: what, count: workflow),
      commit: Self.commit, url: Self.url)
    #expect(facts.commit == Self.commit && facts.url == Self.url)
    #expect(size(facts) <= JobFacts.limit, "\(facts)")
    #expect(facts.actor?.hasSuffix("…") == (actor > 3) && facts.workflow?.hasSuffix("…") == (workflow > 3))
    // The short one is whole, and the long one has the rest.
    if actor == 3 || workflow == 3 { #expect(size(facts) == JobFacts.limit) }
  }

  @Test("names stay readable where commit and address need nearly everything")
  func crowded() {
    let url = "https://gitlab.example/" + String(repeating: "g/", count: 150) + "-/pipelines/1"
    let facts = facts(
      actor: String(repeating: "a", count: 300), workflow: "deploy", commit: String(repeating: "a", count: 64), url: url
    )
    #expect(facts.url == url && facts.commit?.count == 64)
    #expect(facts.workflow == "deploy")
    #expect(facts.actor == String(repeating: "a", count: 31) + "…")
  }

  @Test("nothing in a name controls a terminal, hides text, or marks up HTML and Markdown")
  func harmless() {
    let facts = facts(
      actor: "a\u{1b}[31m\r\n::set-output\u{7}", workflow: "<script>&\"`|\\\u{202e}\u{200b}\u{2028}\u{fe0f}é漢")
    #expect(facts.actor == "a?[31m??::set-output?")
    #expect(facts.workflow == "?script??????????é漢")
  }

  @Test(
    "what cannot be a commit or the address of a page is left out",
    arguments: [
      "", "c0ffee", "main", "c0ffee1; rm", String(repeating: "a", count: 65), "c0ffee1\n",
    ])
  func commits(text: String) { #expect(facts(commit: text).commit == nil) }

  @Test(
    "an address has no user, no query and no other scheme, which could hold a secret or run something",
    arguments: [
      "", "javascript:alert(1)", "https://user:secret@host/1", "https://host/1?token=secret", "https://host/#x",
      "ftp://host/1", "https://host/ 1", "https://host/\u{1b}", "https://host/<b>",
      "https://host/" + String(repeating: "a", count: 400),
    ])
  func addresses(text: String) { #expect(facts(url: text).url == nil) }
}
