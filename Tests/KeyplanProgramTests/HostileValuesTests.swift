import Foundation
import Testing

/// What is shown of values that are in the wrong place, and of those that are made of others.
@Suite("Values in output")
struct HostileValuesTests {
  private static let composed = """
    version: 1
    keys:
      db: { provider: generic, source: env://DB }
      host: { provider: generic, source: env://HOST }
      login: { provider: generic, source: { compose: "app:{db:url}" } }
      url: { provider: generic, variable: URL, source: { compose: "https://{login}@{host}/x" } }
    """

  private func masks(_ answer: Shell.Answer) -> Set<String> {
    let lines = answer.out.filter { $0.hasPrefix("::add-mask::") }
    return Set(lines.map { String($0.dropFirst("::add-mask::".count)).replacing("%25", with: "%") })
  }

  @Test("the parts of a composed value, and their parts, are masked like keys of their own, with and without a store")
  func masksOfParts() throws {
    let shell = try Shell()
    let setUp = "cat >keyplan.yaml <<'END'\n\(Self.composed)\nEND\nexport DB='s3cr/et-val' HOST=db"
    let print = "export DB='s3cr/et-val' HOST=db; : >e; GITHUB_ENV=e keyplan env --format github"
    let wanted: Set = ["s3cr/et-val", "s3cr%2Fet-val", "czNjci9ldC12YWw=", "app:s3cr%2Fet-val"]
    let without = try shell.run("\(setUp); \(print)")
    #expect(wanted.isSubset(of: masks(without)), "\(without.out) \(without.err)")
    let with = try shell.run("keyplan init -q; export DB='s3cr/et-val' HOST=db; keyplan apply --yes -q; \(print)")
    #expect(wanted.isSubset(of: masks(with)), "\(with.out) \(with.err)")
    #expect(with.err.contains { $0.contains("\"host\", a part of URL, has fewer than 4 bytes") }, "\(with.err)")
    // The part has another value now, and the composed one still contains the earlier one.
    let later = try shell.run(
      "sed -i '/  login:/d; s/, source: { compose: .*x\" } }/ }/' keyplan.yaml; export DB=later-value HOST=db; "
        + "keyplan apply --yes -q --allow-forget; : >e; GITHUB_ENV=e keyplan env --format github")
    #expect(masks(later).contains("https://app:s3cr%2Fet-val@db/x"), "\(later)")
  }

  @Test("nothing is said of parts that the identity cannot open")
  func closedParts() throws {
    let shell = try Shell()
    let answer = try shell.run(
      """
      keyplan identity new -q >/dev/null; A=$(keyplan identity show -q); B=$(keyplan identity new -q --identity ~/bob.txt)
      m() { cat >keyplan.yaml <<END
      version: 1
      recipients: { ada: $A, bob: $B }
      keys:
        db: { provider: generic, source: env://DB$1 }
        url: { provider: generic, variable: URL$2 }
      END
      }
      export DB=secret-value; m '' ', source: { compose: "https://app:{db:url}@host/x" }'; keyplan init -q
      keyplan apply --yes -q; m ', recipients: [ada]' ''; keyplan apply --yes -q
      : >e; export GITHUB_ENV=e; keyplan env --format github >ada 2>/dev/null
      KEYPLAN_IDENTITY=$(grep ^AGE ~/bob.txt) keyplan env --format github >bob 2>err; echo $? $(wc -c <err)
      grep -c 'mask::secret-value$' ada bob; grep -c 'mask::https://app:secret-value@host/x$' ada bob
      """)
    #expect(answer.out.suffix(5) == ["0 0", "ada:1", "bob:0", "ada:1", "bob:1"], "\(answer)")
  }

  @Test("masks that are left out are counted in a warning, and no text in a document is among them")
  func manyMasks() throws {
    let shell = try Shell()
    let document = (0..<1000).map { "\"s\($0)\": \"secret-token-\($0)\"" }.joined(separator: ",")
    try shell.write(["{\(document)}"], to: "doc.json")
    let answer = try shell.run(
      """
      cat >keyplan.yaml <<'END'
      version: 1
      keys:
        doc: { provider: generic, variable: DOC, source: "file://doc.json" }
        next: { provider: generic, variable: NEXT, source: env://NEXT }
      END
      export NEXT=next-value; : >e; GITHUB_ENV=e keyplan env --format github
      """)
    let masks = masks(answer)
    #expect((0..<1000).allSatisfy { masks.contains("secret-token-\($0)") } && masks.contains("next-value"))
    let said = answer.err.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(said.contains("Not all spellings are masked"), "\(said)")
    #expect(said.contains("spellings of DOC are not masked"), "\(said)")
    #expect(said.contains("4096 of each value") && !said.contains("NEXT"), "\(said)")
    let lines = answer.out
    let first = try #require(lines.firstIndex { $0.hasSuffix("bmV4dC12YWx1ZQ==") })
    #expect(lines[..<first].contains("::add-mask::next-value"))
    #expect(!lines[first...].contains("::add-mask::secret-token-7"))
  }

  @Test(
    "a value in the place of a word of the command line is not repeated",
    arguments: [
      "keyplan keys set db=hunter2", "keyplan keys set db hunter2", "keyplan keys set db --generate=hunter2",
      "keyplan run FOO=hunter2 true", "keyplan run sh hunter2", "keyplan get db=hunter2", "keyplan get db hunter2",
      "keyplan keys rotate db=hunter2", "keyplan keys purge db=hunter2", "keyplan keys revoke db=hunter2",
      "keyplan env --only db=hunter2", "keyplan apply hunter2 hunter2", "keyplan plan --json=hunter2",
      "keyplan db=hunter2", "keyplan keys db=hunter2", "keyplan keys remove db=hunter2", "keyplan get active.a=hunter2",
      "keyplan keys set db --format hunter2 --generate", "keyplan -e hunter2 plan x=hunter2",
      "keyplan verify db=hunter2", "keyplan keys history db=hunter2", "keyplan keys show db=hunter2",
    ])
  func echoed(command: String) throws {
    let shell = try Shell()
    let answer = try shell.run(
      """
      printf 'version: 1\\nkeys:\\n  db: { provider: generic, variable: DB }\\n' >keyplan.yaml; keyplan init -q
      echo value | keyplan keys set db --yes -q >/dev/null 2>&1
      \(command); code=$?; \(command) --json; exit $code
      """)
    #expect(answer.code != 0 && !answer.err.isEmpty, "\(answer)")
    #expect(!(answer.out + answer.err).contains { $0.contains("hunter2") }, "\(answer)")
  }

  @Test("an ignore file that is too large is no reason to be silent about a file with secrets")
  func largeIgnoreFile() throws {
    let shell = try Shell()
    let answer = try shell.run(
      """
      git init -q -b main; printf 'DB=secret-value\\n' >.env
      printf 'version: 1\\nkeys:\\n  db: { provider: generic, source: "dotenv://.env#DB" }\\n' >keyplan.yaml
      printf 'targets:\\n  app: { type: dotenv, path: app.env, keys: { DB: db } }\\n' >>keyplan.yaml
      python3 -c "print('x\\n' * 200000)" >.gitignore; keyplan init -q --store ~/s.db; keyplan plan --store ~/s.db; keyplan doctor --store ~/s.db
      """)
    let said = (answer.out + answer.err).joined(separator: " ")
    #expect(said.contains("Whether git ignores app.env is unknown"), "\(said)")
    #expect(said.contains("Whether git ignores .env is unknown"), "\(said)")
  }

  @Test("a purged part is no reason for an apply that would not replace what is made of it")
  func purgedPart() throws {
    let shell = try Shell()
    let purge = "keyplan keys purge db --yes 2>&1"
    let template = "{ provider: generic, variable: URL, source: { compose: \"u {db}\" } }"
    let setUp = """
      printf 'version: 1\\nkeys:\\n  db: { provider: generic, source: env://DB }\\n  url: %s\\n' '\(template)' >keyplan.yaml
      keyplan init -q; export DB=one-value; keyplan apply --yes -q
      """
    let kept = try shell.run(
      setUp
        + "\nsed -i 's/, source: { compose.*/ }/' keyplan.yaml; export DB=two-value; keyplan apply --yes -q; \(purge)")
    let said = kept.out.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(said.contains("still made of the deleted value"), "\(kept)")
    #expect(
      said.contains("The manifest no longer composes it") && !said.contains("keyplan apply replaces it"), "\(said)")
    // Once it has another value, nothing is made of the deleted one.
    let replaced = try shell.run("export DB=two-value; echo other-value | keyplan keys set url --yes -q; \(purge)")
    #expect(!replaced.out.joined().contains("still made of"), "\(replaced)")
  }
}
