import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanReporting
import ReportSamples
import Testing

@Suite("Backends and what they say of a plan") struct RenderingBackendTests {
  private static func acme() throws -> BackendDescription {
    BackendDescription(
      "acme", title: "Acme", help: "Secrets of Acme.",
      connection: ConnectionGrammar(
        [
          BackendField("address", .url, isRequired: true, help: "Where it is."),
          BackendField("token", .secret, variables: ["ACME_TOKEN"], help: "Who asks."),
          BackendField("tries", .int(1...9), default: "3", help: "How often."),
        ], hosts: ["login.acme.example"]),
      reference: ReferenceGrammar(
        .place(what: "a place"), example: "acme://live/one#key", isLocal: false, help: "A secret."),
      target: TargetGrammar(
        fields: [
          BackendField("project", isRequired: true, help: "The project."),
          BackendField("stage", .choice(["live", "test"]), help: "The stage."),
        ],
        names: NameRule(.pattern(try FormatPattern("[A-Z_]{1,9}")), reserved: ["ACME_"], longest: 9, foldsCase: true),
        limits: .init(valueBytes: 100, names: 5), readsBack: .marks, takesEffect: .nextDeploy),
      pace: Pace(concurrency: 2, gap: .milliseconds(250)))
  }

  private static let sources = [
    CitedDocument("acme 1.2 (PyPI)", of: [.outcome, .request]),
    CitedDocument("acme.example, read 2026-11-28", of: [.pace]),
  ]

  @Test("previews are the last ones, and the table says what they are")
  func previews() {
    let reference = ReferenceGrammar(.variable, example: "a://NAME", isLocal: true)
    let backends = [
      BackendDescription("a", isPreview: true, reference: reference), BackendDescription("b", reference: reference),
    ]
    #expect(
      BackendsText.render(backends, style: Style()) == """
          BACKEND   READS   WRITES   READ BACK   TAKES EFFECT   REQUIRES
          b         yes     no
          a*        yes     no

        * Preview: judged in full by neither the service nor its own client.

        """)
  }

  private static let providers = [
    KnownProvider(name: "a", variable: "A_KEY", check: .preview, keys: .elsewhere),
    KnownProvider(name: "b", variable: "B_KEY", check: .judged, keys: .made("b-keys")),
    KnownProvider(name: "c", variable: nil, check: .none, keys: .elsewhere),
  ]

  @Test("providers whose check is a preview are the last ones")
  func providers() {
    let text = ProvidersText.render(Self.providers, style: Style())
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
    #expect(lines[1...3].map { $0.last } == ["keyplan", "no", "preview"] && lines[2].first == "c")
    #expect(text.contains("\npreview: judged in full by neither the service nor its own client.\n"))
    #expect(!ProvidersText.render(Array(Self.providers[1...]), style: Style()).contains("preview"))
    #expect(ProvidersText.render(Self.providers[0], style: Style()).contains("The check is a preview: judged in full"))
  }

  @Test("a page has the documents of checks, previews last, and those of formats")
  func checkSources() {
    let checks = [
      CheckSources(of: ["a"], isPreview: true, documents: [CitedDocument("docs, 2026", of: [.request, .answer])]),
      CheckSources(
        of: ["b", "c"], isPreview: false,
        documents: [CitedDocument("client 1", of: [.request]), CitedDocument("docs, 2025", of: [.outcome])]),
    ]
    let page = CheckSourcesPage.render(checks, [FormatSource(provider: "b", document: "keys, 2026")])
    #expect(
      page.contains(
        """
        |---|---|---|
        | `b`, `c` | client 1 | requests |
        |  | docs, 2025 | outcomes |
        | `a` (preview) | docs, 2026 | requests, answers |

        ## Formats of keys

        | provider | document |
        |---|---|
        | `b` | keys, 2026 |

        """))
  }

  @Test("all are a table")
  func table() throws {
    let local = BackendDescription(
      "env", reference: ReferenceGrammar(.variable, example: "env://NAME", isLocal: true))
    #expect(
      BackendsText.render([try Self.acme(), local], style: Style()) == """
          BACKEND   READS   WRITES   READ BACK   TAKES EFFECT   REQUIRES
          acme      yes     yes      marks       next deploy    address, project
          env       yes     no

        """)
  }

  @Test("one is shown with its fields and an example")
  func one() throws {
    #expect(
      BackendsText.render(try Self.acme(), sources: Self.sources, style: Style()) == """
        Acme   Secrets of Acme.

          reads              acme://live/one#key
                             A secret.
          removes originals  no
          writes             targets of type acme
          read back          Values cannot be read back. A mark that changes with each
                             write shows that a value was changed.
          takes effect       next deploy
          names              names that match [A-Z_]{1,9}; at most 9 characters; not
                             beginning with ACME_; upper and lower case are the same
          limits             at most 100 bytes for a value, 5 names for a target
          connection         required
          contacts           that of address, login.acme.example
          sources            2 documents, listed in docs/backends/acme.md

        fields of a connection
          address   https:// address   required
                    Where it is.
          token     reference   default: $ACME_TOKEN
                    Who asks.
          tries     number, 1 to 9   default: 3
                    How often.

        fields of a target
          project   text   required
                    The project.
          stage     live, test   optional
                    The stage.

        For example:

            version: 1
            connections:
              my-acme:
                type: acme
                address: https://acme.example.com
                token: env://ACME_TOKEN
            keys:
              example:
                provider: generic
                variable: EXAMPLE
                source: "my-acme://live/one#key"
            targets:
              my-target:
                type: acme
                connection: my-acme
                project: my-project
                keys:
                  EXAMPLE: example

        """)
  }

  @Test("one has a page")
  func page() throws {
    let page = BackendPage.render(try Self.acme(), sources: Self.sources)
    for line in [
      "# Acme", "| `token` | reference | default: $ACME_TOKEN | Who asks. |", "`acme://live/one#key`",
      "A plan asks for permission to contact the host of `address`, `login.acme.example`, with all fields as terms.",
      "- Limits: at most 100 bytes for a value, 5 names for a target",
    ] { #expect(page.contains(line + "\n"), "\(line)") }
    #expect(page.contains("A written value is in use with the next deploy of what reads it."))
    #expect(
      page.hasSuffix("| acme 1.2 (PyPI) | requests, outcomes |\n| acme.example, read 2026-11-28 | rate limits |\n"))
    #expect(!BackendPage.render(try Self.acme(), sources: []).contains("## Sources"))
    let local = BackendDescription(
      "env", reference: ReferenceGrammar(.variable, example: "env://NAME", isLocal: true))
    #expect(
      BackendPage.render(local, sources: Self.sources).contains(
        "\nWhat keyplan knows about the format or the program comes from these documents.\n"))
  }

  @Test("a plan says what a service does besides, at the step that makes it do so, and a page says when")
  func notices() throws {
    let shop = Destination(type: "shop", location: "web")
    let entry = TargetWrite.Entry(name: "A", key: Sample.key("weather"), reason: .new)
    let write = TargetWrite(destination: shop, entries: [entry], total: 1, notice: "job logs can show it")
    let removal = TargetRemoval(destination: shop, names: ["B"], released: [], notice: "it may deploy")
    let steps = [
      Step(.outside(.withdraw(Sample.target("app"), removal)), because: .manifest),
      Step(.outside(.sync(Sample.target("web"), write)), because: .manifest),
    ]
    let report = PlanReport(Plan(steps: steps), diagnostics: [], store: Sample.store)
    for words in ["job logs can show it", "it may deploy"] {
      #expect(PlanText.render(report, style: Style(width: 200), at: Sample.now).contains(words))
      #expect(PlanMarkdown.render(report, at: Sample.now).contains(words))
      #expect(try Document.plan(report).contains("\"notice\":\"\(words)\""))
    }
    // Nothing is removed there.
    #expect(TargetRemoval(destination: shop, names: [], released: ["B"], notice: "it may deploy").notice == nil)
    #expect(TargetNotice(.remove, words: "it may deploy").sentence == "When a name is removed: it may deploy.")
    #expect(
      TargetNotice(.create, fields: ["b": "2", "a": "1"], words: "x").sentence
        == "When a name is created with a: 1, b: 2: x.")
  }

  private func plan(_ effect: TakesEffect) -> PlanReport {
    let write = TargetWrite(
      destination: Destination(type: "shop", location: "web"),
      entries: [TargetWrite.Entry(name: "A", key: Sample.key("weather"), reason: .new)], total: 1, takesEffect: effect)
    return PlanReport(
      Plan(steps: [Step(.outside(.sync(Sample.target("app"), write)), because: .manifest)]), diagnostics: [],
      store: Sample.store)
  }

  @Test(
    "a plan says when a write takes effect, if that is not at once",
    arguments: [
      (
        effect: TakesEffect.nextDeploy, words: "takes effect with the next deploy",
        json: "\"takesEffect\":\"nextDeploy\""
      ),
      (effect: .restart, words: "takes effect after a restart", json: "\"takesEffect\":\"restart\""),
    ])
  func effect(effect: TakesEffect, words: String, json: String) throws {
    let (report, now) = (plan(effect), plan(.now))
    #expect(PlanText.render(report, style: Style(width: 200), at: Sample.now).contains(words))
    #expect(PlanMarkdown.render(report, at: Sample.now).contains(words))
    #expect(try Document.plan(report).contains(json))
    #expect(!PlanText.render(now, style: Style(width: 200), at: Sample.now).contains("effect"))
    #expect(!(try Document.plan(now)).contains("takesEffect"))
  }
}
