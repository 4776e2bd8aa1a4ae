import Foundation
import Testing

/// `keyplan ci --check`, in what looks like a job of a service.
@Suite("The check of a job's settings")
struct JobCheckTests {
  private let shell: Shell
  private static let github = "export CI=true GITHUB_ACTIONS=true"
  private static let value = "made-up-value-of-payments"

  /// A project in git with its store outside, and identities for CI: one can only plan.
  init() throws {
    shell = try Shell()
    let made = try shell.run(
      """
      set -e
      git init -q -b main; git config user.name ada; git config user.email ada@example.com
      cat >keyplan.yaml <<END
      version: 1
      keys: { payments: { provider: generic, source: env://PAYMENTS_KEY, variable: PAYMENTS_KEY } }
      recipients:
        ada: $(keyplan identity new --quiet)
        ci: $(keyplan identity new --quiet --identity ~/ci.txt)
        pull-requests: { key: $(keyplan identity new --quiet --identity ~/planning.txt), can: plan }
      END
      mkdir -m 700 ~/stores
      export PAYMENTS_KEY=\(Self.value)
      keyplan init --quiet --store ~/stores/shop.db >/dev/null
      keyplan apply --yes --quiet --store ~/stores/shop.db >/dev/null
      git add .; git commit -qm begin
      rm -rf ~/.local
      """)
    try #require(made.code == 0, "\(made.err)")
  }

  private static let planning =
    "unset KEYPLAN_CHECKOUT; export KEYPLAN_STORE=$HOME/stores/shop.db KEYPLAN_IDENTITY=\"$(grep ^AGE ~/planning.txt)\" "
    + "KEYPLAN_PIN=\"$(grep -v '#' keyplan.lock)\" PAYMENTS_KEY=\(value)"

  /// The words of an answer on one line.
  private static func words(_ answer: Shell.Answer) -> String {
    answer.out.joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  private func check(_ setUp: String, _ options: String = "") throws -> Shell.Answer {
    let answer = try shell.run("\(setUp)\nkeyplan ci --check \(options)")
    for line in answer.out + answer.err {
      #expect(!line.contains(Self.value) && !line.contains("AGE-SECRET-KEY-1"), "\(line)")
    }
    return answer
  }

  @Test("says that all is there, and which kind of job it is")
  func complete() throws {
    let answer = try check("\(Self.github) GITHUB_EVENT_NAME=pull_request; \(Self.planning)")
    #expect(
      answer.out == [
        "  ✓ ok       job          a job for a pull request of GitHub Actions",
        "  ✓ ok       checkout     the checkout is untrusted",
        "  ✓ ok       manifest     keyplan.yaml is valid",
        "  ✓ ok       identity     KEYPLAN_IDENTITY has an identity",
        "  ✓ ok       store        <home>/stores/shop.db is known from",
        "                          outside of the checkout: KEYPLAN_STORE names it",
        "  ✓ ok       pin          KEYPLAN_PIN and keyplan.lock name the same store",
        "  ✓ ok       store        the identity opens the store as the recipient",
        "                          \"pull-requests\", which can only plan",
        "  ✓ ok       variables    1 of 1 variables that the manifest reads are set", "", "No problems found.",
      ], "\(answer.out.joined(separator: "\n"))")
    #expect(answer.code == 0 && answer.err == [])
  }

  @Test("says everything that is missing or wrong at once")
  func missing() throws {
    let answer = try check(
      "\(Self.github) GITHUB_EVENT_NAME=pull_request; export KEYPLAN_CHECKOUT=trusted; rm ~/.config/keyplan/identity.txt"
    )
    #expect(answer.code == 9)
    let text = Self.words(answer)
    #expect(text.contains("error checkout KEYPLAN_CHECKOUT is \"trusted\" in a job for a"), "\(text)")
    #expect(text.contains("error identity There is no identity at"), "\(text)")
    #expect(text.contains("error store "), "\(text)")
    #expect(text.contains("3 errors"), "\(text)")
  }

  @Test(
    "finds each wrong setting",
    arguments: [
      ("export KEYPLAN_STORE=.keyplan/other.db", 9, "store"),
      ("export KEYPLAN_PIN='default 00000000000000000000000000000000 00000000000000000000000000000000'", 9, "pin"),
      ("export KEYPLAN_PIN=wrong", 64, "store"),
      ("export KEYPLAN_IDENTITY=$(keyplan identity new --quiet --identity ~/x >/dev/null; grep ^AGE ~/x)", 9, "store"),
      ("export KEYPLAN_IDENTITY=/nowhere", 9, "identity"), ("export KEYPLAN_CHECKOUT=maybe", 64, "checkout"),
      ("rm keyplan.lock", 9, "pin"), ("echo 'keys: {}' >keyplan.eu.yaml", 64, "environment"),
      ("echo 'nokeys: 1' >>keyplan.yaml", 1, "manifest"),
    ])
  func wrong(setting: String, code: Int32, subject: String) throws {
    let answer = try check("\(Self.github); \(Self.planning); \(setting)")
    #expect(answer.code == code, "\(answer.out.joined(separator: "\n"))")
    #expect(
      answer.out.contains { $0.contains("✗ error") && $0.contains(" \(subject) ") },
      "\(answer.out.joined(separator: "\n"))")
  }

  @Test("warns of an identity with full access in a pull request's job, and of a variable that is not set")
  func warnings() throws {
    let answer = try check(
      "export GITLAB_CI=true CI_PIPELINE_SOURCE=merge_request_event; \(Self.planning); "
        + "export KEYPLAN_IDENTITY=\"$(grep ^AGE ~/ci.txt)\"; unset PAYMENTS_KEY")
    let text = Self.words(answer)
    #expect(answer.code == 0, "\(text)")
    #expect(text.contains("a job for a pull request of GitLab CI/CD"))
    #expect(text.contains("warning identity The identity of the recipient \"ci\" has full access"), "\(text)")
    #expect(text.contains("warning variables Not set: PAYMENTS_KEY."), "\(text)")
    // On the main branch that identity is the right one.
    let main = try check(
      "export GITLAB_CI=true CI_PIPELINE_SOURCE=push; \(Self.planning); export KEYPLAN_IDENTITY=\"$(grep ^AGE ~/ci.txt)\""
    )
    #expect(main.out.last == "No problems found.", "\(main.out.joined(separator: "\n"))")
  }

  @Test("says on a laptop that this is no job, and checks what it can")
  func laptop() throws {
    let answer = try check("export KEYPLAN_STORE=$HOME/stores/shop.db")
    let text = Self.words(answer)
    #expect(answer.code == 0, "\(text)")
    #expect(text.contains("warning job This is not a CI job"))
    #expect(
      text.contains("which has full access") && text.contains("the checkout is trusted, as KEYPLAN_CHECKOUT says"),
      "\(text)")
    let json = try check("export KEYPLAN_STORE=$HOME/stores/shop.db", "--json").out.joined()
    #expect(json.contains("\"isJob\":false") && !json.contains("\"service\""), "\(json)")
  }

  @Test(
    "in a pull request contacts nothing that only the manifest names, runs nothing, and looks at no variable that is new"
  )
  func hostile() throws {
    let answer = try check(
      """
      \(Self.github) GITHUB_EVENT_NAME=pull_request; \(Self.planning); export SECRET_OF_CI=x
      cat >>keyplan.yaml <<'END'
      store: { address: "postgres://127.0.0.1:9/keys", password: "command: touch ran" }
      END
      sed -i 's|keys: {|keys: { new: { provider: generic, source: "env://SECRET_OF_CI" }, run: { provider: generic, source: { command: [touch, ran] } },|' keyplan.yaml
      keyplan validate --quiet || sed -i '/^store:/d' keyplan.yaml
      """)
    let text = Self.words(answer)
    #expect(!text.contains("SECRET_OF_CI") && text.contains("1 variable is not looked at"), "\(text)")
    #expect(shell.content(of: "ran") == ["<none>"])
    // Another store, which only the manifest names: a server that notes who contacts it would hear nothing.
    let other = try check(
      """
      \(Self.github) GITHUB_EVENT_NAME=pull_request; \(Self.planning); unset KEYPLAN_STORE
      echo 'store: postgres://127.0.0.1:9/keys' >>keyplan.yaml
      export PGPASSWORD=\(Self.value)
      """)
    #expect(other.code == 9, "\(other.out.joined(separator: "\n"))")
    #expect(Self.words(other).contains("is named by files of the checkout only"), "\(other.out)")
  }

  @Test("takes a service or --check, and not both or neither")
  func usage() throws {
    for words in ["", "github --check", "--timer github", "jenkins"] {
      #expect(try shell.run("keyplan ci \(words)").code == 64, "\(words)")
    }
  }
}
