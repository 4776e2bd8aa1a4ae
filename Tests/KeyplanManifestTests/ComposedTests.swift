import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

/// Keys whose values keyplan makes of those of other keys.
@Suite struct ComposedTests {
  @Test("a template is read, and recorded by its canonical text") func read() throws {
    let reading = check(
      """
      version: 1
      keys:
        url: { provider: generic, variable: DATABASE_URL, source: { compose: "postgres://app:{db:url}@db/app" } }
        db: { provider: generic, source: env://DB }
      """)
    let key = try #require(Identifier<Key>("url").flatMap { reading.manifest?.keys[$0] })
    #expect(key.composition?.template == "postgres://app:{db:url}@db/app" && key.sources.isEmpty)
    #expect(key.facts.sources == ["compose: postgres://app:{db:url}@db/app"])
    #expect(reading.manifest?.composed.keys.map(\.name) == ["url"])
  }

  @Test("what is no template is said at its place, without the text") func faults() {
    check(
      """
      version: 1
      keys:
        db: { provider: generic, source: env://DB }
        a: { provider: generic, source: { compose: 1️⃣"{db" } }
        b: { provider: generic, source: { compose: 2️⃣"db}" } }
        c: { provider: generic, source: { compose: 3️⃣"literal" } }
        d: { provider: generic, source: { compose: 4️⃣"{db:hex}" } }
        e: { provider: generic, source: { compose: 5️⃣"{DB}" } }
        f: { provider: generic, source: [env://A, 6️⃣{ compose: "{db}" }] }
        g: { provider: generic, source: { compose: "{db}", 7️⃣bytes: 3 } }
        h: { provider: generic, source: { compose: 8️⃣"a\\n{db}" } }
      """,
      Fault(.invalidValue, "not closed", hint: "{{ for a brace"), Fault(.invalidValue, "closes nothing"),
      Fault(.invalidValue, "no place for the value"),
      Fault(.invalidValue, "Place 1 of the template: the word after the colon is not a form"),
      Fault(.invalidValue, "Place 1 of the template: the text in braces is not the name of a key"),
      Fault(.conflict, "\"compose\" cannot be combined with other sources"),
      Fault(.unknownField, "\"bytes\" is not a field of a composed value"),
      Fault(.invalidValue, "line break"))
  }

  @Test("an unknown part is said with the name that is nearly the same; a key with several parts is named by part")
  func parts() {
    check(
      """
      version: 1
      keys:
        db-password: { provider: generic, source: env://DB }
        a: { provider: generic, source: { compose: 1️⃣"{db-pasword:url}" } }
        b: { provider: generic, source: { compose: 2️⃣"{nothing-like-it}" } }
        aws: { provider: generic, source: { mint: aws-keys, user: app } }
        c: { provider: generic, source: { compose: 3️⃣"{aws}" } }
        d: { provider: generic, source: { compose: "{aws.accessKeyId}" } }
      """,
      Fault(.undeclaredName, "Unknown key \"db-pasword\" in the template", hint: "Did you mean \"db-password\"?"),
      Fault(.undeclaredName, "Place 1 of the template names an undeclared key", hint: "For a brace"),
      Fault(.conflict, "\"aws\" in the template has several parts", hint: "{aws.accessKeyId}"))
  }

  @Test(
    "a word of a template is quoted only if it is nearly one that may stand there: a password can be in braces",
    arguments: [
      (template: "postgres://{app:hunter2}@h/{db}", place: "Place 1"), ("postgres://app:{hunter2}@h/{db}", "Place 1"),
      ("{db}{hunter2!}", "Place 2"), ("{db}://{db:url:hunter2}", "Place 2"), ("{{x}}{db}{swordfish}", "Place 2"),
      ("{db:hunter2@host}", "Place 1"),
    ])
  func echoed(template: String, place: String) {
    let reading = reader.read(
      base: text(
        """
        version: 1
        keys:
          db: { provider: generic, source: env://DB }
          a: { provider: generic, source: { compose: '\(template)' } }
        """), overlay: nil, environment: nil)
    let said = reading.diagnostics.map { "\($0.detail) \($0.hint ?? "")" }.joined(separator: "\n")
    #expect(said.contains(place), "\(said)")
    #expect(!said.contains("hunter2") && !said.contains("swordfish") && !reading.undisclosed.isEmpty, "\(said)")
  }

  @Test("a form that is nearly one is suggested") func forms() {
    check(
      """
      version: 1
      keys:
        db: { provider: generic, source: env://DB }
        a: { provider: generic, source: { compose: 1️⃣"{db:ur}" } }
        b: { provider: generic, source: { compose: 2️⃣"{db:base46}" } }
      """,
      Fault(.invalidValue, "\"ur\" is not a form", hint: "Did you mean \"url\"?"),
      Fault(.invalidValue, "\"base46\" is not a form", hint: "Did you mean \"base64\"?"))
  }

  @Test("of ten thousand unknown parts, fifty are listed and the rest counted") func manyParts() {
    var yaml = "version: 1\nkeys:\n"
    for index in 0..<1000 { yaml += "  real-\(index): { provider: generic, source: env://K\(index) }\n" }
    for key in 0..<320 {
      let parts = (0..<32).map { "{rael-\(key)-\($0)}" }.joined()
      yaml += "  c\(key): { provider: generic, source: { compose: \"\(parts)\" } }\n"
    }
    let reading = reader.read(base: text(yaml), overlay: nil, environment: nil)
    let unknown = reading.diagnostics.filter { $0.code == .undeclaredName }
    #expect(unknown.count == 51)
    #expect(unknown.contains { $0.detail == "10190 more places in templates name undeclared keys." })
  }

  @Test(
    "a password or token in a field of the text is refused and not quoted",
    arguments: [
      (template: "https://h/x?token=hunter2&db={db}", isSecret: true),
      ("postgres://h/x?user=a&PassWord=hunter2 {db}", true),
      ("https://h/x#access_token=hunter2{db}", false), ("https://h/x?a=b&api_key=hunter2#{db}", true),
      ("host=h password=hunter2 dbname={db}", true), ("Server=h;Pwd='hunter2';Db={db}", true),
      ("password={db} host=h", false), ("https://h/?token={db}&x=1", false), ("https://h/?token=x-{db}", false),
      ("https://h/?token=&x={db}", false), ("let token=hunter2 {db}", false), ("nopassword=hunter2 {db}", false),
      ("https://h/?mytoken=hunter2&x={db}", false), ("https://{db}/?sig=hunter2", true),
    ])
  func fields(template: String, isSecret: Bool) {
    let reading = reader.read(
      base: text(
        """
        version: 1
        keys:
          db: { provider: generic, source: env://DB }
          a: { provider: generic, source: { compose: "\(template)" } }
        """), overlay: nil, environment: nil)
    #expect(reading.diagnostics.contains { $0.code == .secretInManifest } == isSecret, "\(reading.diagnostics)")
    #expect(!reading.diagnostics.contains { "\($0.detail)\($0.hint ?? "")".contains("hunter2") })
    #expect(!isSecret || !reading.undisclosed.isEmpty)
  }

  @Test("each address of a long template has its own places") func longTemplates() {
    let addresses = (0..<4000).map { $0 == 3999 ? "a://b:{db}@ " : "a://b:{db:url}@ " }.joined()
    let reading = reader.read(
      base: text(
        """
        version: 1
        keys:
          db: { provider: generic, source: env://DB }
          other: { provider: generic, source: env://OTHER }
          a: { provider: generic, source: { compose: "{other}\(addresses)" } }
        """), overlay: nil, environment: nil)
    #expect(reading.diagnostics.map(\.code) == [.questionable])
    #expect(reading.diagnostics.first?.detail.hasPrefix("Place 4001 of the template inserts") == true)
  }

  @Test("a circle is refused with its path, once; so are more than eight levels") func circles() {
    check(
      """
      version: 1
      keys:
        p: { provider: generic, source: env://P }
        a: { provider: generic, source: { compose: 1️⃣"{c}{p}" } }
        b: { provider: generic, source: { compose: "{a}" } }
        c: { provider: generic, source: { compose: "{b}" } }
        d: { provider: generic, source: { compose: "{c}" } }
        e: { provider: generic, source: { compose: 2️⃣"{e}" } }
      """,
      Fault(.conflict, "a → c → b → a"), Fault(.conflict, "e → e"))
    let chain = (1...9).map {
      "  k\($0): { provider: generic, source: { compose: \($0 == 9 ? "1️⃣" : "")\"{k\($0 - 1)}\" } }\n"
    }
    check(
      "version: 1\nkeys:\n  k0: { provider: generic, source: env://P }\n" + chain.joined(),
      Fault(.invalidValue, "more than 8 levels"))
  }

  @Test("10,000 keys that each compose the next are one error, and 10,000 in a circle another") func long() {
    for end in ["env://P", "{ compose: \"{k0}\" }"] {
      var yaml = "version: 1\nkeys:\n"
      for index in 0..<9_999 {
        yaml += "  k\(index): { provider: generic, source: { compose: \"{k\(index + 1)}\" } }\n"
      }
      yaml += "  k9999: { provider: generic, source: \(end) }\n"
      let reading = reader.read(base: text(yaml), overlay: nil, environment: nil)
      #expect(reading.diagnostics.count == 1 && reading.manifest == nil)
    }
  }

  @Test("its recipients are those that all its parts have") func readers() throws {
    let manifest = """
      version: 1
      recipients: { ada: ADA, ops: OPS }
      keys:
        all: { provider: generic, source: env://A }
        x: { provider: generic, source: env://X, recipients: [ops] }
        y: { provider: generic, source: env://Y, recipients: [ada] }
        a: { provider: generic, source: { compose: "{all}{x}" } }
        b: { provider: generic, source: { compose: "{a}" } }
        c: { provider: generic, source: { compose: 1️⃣"{x}{y}" } }
        2️⃣d: { provider: generic, source: { compose: "{x}" }, recipients: [ada] }
      """
      .replacing("ADA", with: Self.ada).replacing("OPS", with: Self.ops)
    check(
      manifest, Fault(.conflict, "No recipient can open all values", hint: "common recipient"),
      Fault(.conflict, "The value is for \"ada\", who cannot open"))
    let good = manifest.split(separator: "\n").dropLast(2).joined(separator: "\n") + "\n"
    let reading = reader.read(base: text(good), overlay: nil, environment: nil)
    for name in ["a", "b"] {
      let key = try #require(Identifier<Key>(name).flatMap { reading.manifest?.keys[$0] })
      #expect(key.facts.recipients?.map(\.name) == ["ops"])
    }
  }

  private static let ada = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
  private static let ops = "age1lvyvwawkr0mcnnnncaghunadrqkmuf9e6507x9y920xxpp866cnql7dp2z"

  @Test("a password in an address is refused and not quoted; a value that is inserted there as it is, is a warning")
  func addresses() throws {
    let reading = check(
      """
      version: 1
      keys:
        db: { provider: generic, source: env://DB }
        a: { provider: generic, source: { compose: 1️⃣"postgres://app:hunter2@db/{db:url}" } }
        b: { provider: generic, source: { compose: 2️⃣"postgres://app:{db}@db/app" } }
        c: { provider: generic, source: { compose: "https://{db}:443/x?user:p@y" } }
      """,
      Fault(.secretInManifest, "The template contains a password", hint: "{NAME:url}"),
      Fault(.questionable, "Place 1 of the template inserts a value into an address as it is", hint: "{NAME:url}"))
    #expect(!reading.undisclosed.isEmpty)
    #expect(!reading.diagnostics.contains { "\($0.detail)\($0.hint ?? "")".contains("hunter2") })
  }

  @Test("fields that a composed value cannot have") func fields() {
    check(
      """
      version: 1
      keys:
        db: { provider: generic, source: env://DB }
        a: { provider: generic, source: { compose: "{db}" }, issued: 1️⃣2026-01-01 }
        2️⃣b: { provider: generic, source: { compose: "{db}" }, follow: once }
        c: { provider: generic, source: { compose: "{db}" }, expires: { after: 90d, then: 3️⃣rotate } }
        d: { provider: 4️⃣openai, source: { compose: "{db}" } }
        e: { provider: generic, source: { compose: "{db}" } }
      migrations:
        - { adopt: env://E, to: 5️⃣e }
      """,
      Fault(.conflict, "\"issued\" does not apply to a composed value"), Fault(.conflict, "follow: once"),
      Fault(.conflict, "needs a value that keyplan generates"), Fault(.questionable, "issues its keys itself"),
      Fault(.conflict, "has a source, so it cannot adopt"))
  }

  @Test("an overlay replaces the template, and its parts are those of the environment") func overlay() throws {
    let reading = check(
      """
      version: 1
      keys:
        db: { provider: generic, source: env://DB }
        url: { provider: generic, source: { compose: "postgres://app:{db:url}@db/app" } }
      """,
      overlay: """
        keys:
          other: { provider: generic, source: env://OTHER }
          url: { source: { compose: "postgres://app:{other:url}@staging/app" } }
        """)
    let key = try #require(Identifier<Key>("url").flatMap { reading.manifest?.keys[$0] })
    #expect(key.composition?.parts.map(\.name) == ["other"])
  }

  @Test("rules know the kind of a composed value") func rule() throws {
    let reading = check(
      """
      version: 1
      keys:
        db: { provider: generic, source: env://DB }
        url: { provider: generic, source: { compose: "{db}" } }
      rules:
        plain: { forbidSources: [compose] }
      """)
    let broken = try #require(reading.manifest).brokenRules
    #expect(broken.map(\.address) == [Identifier<Key>("url").map { .key($0) }])
  }
}
