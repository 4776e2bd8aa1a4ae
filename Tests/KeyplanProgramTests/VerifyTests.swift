import Foundation
import TestTools
import Testing

/// Live checks, from the manifest to the request, against the fake of providers.
@Suite("keyplan verify") struct VerifyTests {
  /// The keys that the fake accepts.
  static let openai = "sk-made-up-for-the-tests"
  static let deepseek = "sk-0123456789abcdef0123456789abcdef"
  private static let fake = Result {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try FixtureServer([tests.appending(path: "KeyplanRemoteTests/Fixtures/checks.py").path])
  }

  /// One project; the fake is shared, so that each has a name of its own in the paths.
  struct Project {
    let sandbox: ProgramSandbox
    let root: String
    /// What follows at the end of the manifest.
    let more: String

    /// - Parameter providers: the lines of `providers:`, indented by two; `ROOT` is the fake's address.
    init(_ providers: String, keys: String = Self.keys, more: String = "", apply: Bool = true) throws {
      self.more = more
      sandbox = try ProgramSandbox()
      root = String(decoding: try VerifyTests.fake.get().greeting, as: UTF8.self)
      sandbox.variables["MAIN"] = VerifyTests.openai
      sandbox.variables["SPARE"] = VerifyTests.deepseek
      try #require(sandbox.keyplan("init").code == 0)
      try write(providers, keys: keys)
      guard apply else { return }
      let applied = try sandbox.keyplan("apply", "--yes")
      try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    }

    static let keys = """
        main: { provider: openai, source: env://MAIN }
        spare: { provider: deepseek, source: env://SPARE }
      """

    func write(_ providers: String, keys: String = Self.keys) throws {
      let shown = try sandbox.keyplan("identity", "show").out
      let recipient = String(try #require(shown.firstMatch(of: /age1[0-9a-z]+/)).output)
      let text = """
        version: 1
        recipients: { ada: \(recipient) }
        providers:
        \(providers.replacingOccurrences(of: "ROOT", with: root))
        keys:
        \(keys)
        active: { api: [main, spare] }
        \(more)
        """
      try sandbox.write(text, to: "keyplan.yaml")
    }

    /// The requests below a path since the last time.
    func seen() throws -> [String] {
      let data = try Data(contentsOf: try #require(URL(string: "\(root)/_/requests")))
      return try JSONDecoder().decode([String].self, from: data)
    }
  }

  @Test func `moves a slot away from a key that its provider rejects, and back to a new value`() throws {
    let project = try Project("  openai: { address: ROOT/openai/1 }\n  deepseek: { address: ROOT/deepseek/0 }")
    let sandbox = project.sandbox
    let verified = try sandbox.keyplan("verify")
    #expect(verified.code == 2, "\(verified.out)\(verified.err)")
    #expect(verified.out.contains("invalid   main") && verified.out.contains("valid     spare"), "\(verified.out)")
    #expect(verified.out.contains("1 valid, 1 invalid."))
    #expect(!(verified.out + verified.err).contains(Self.openai) && !verified.out.contains(Self.deepseek))

    let drift = try sandbox.keyplan("drift")
    #expect(drift.code == 2 && drift.out.contains("was rejected by its provider on "), "\(drift.out)")
    #expect(drift.out.contains("broken"))
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("rejected by its provider") && plan.out.contains("spare"), "\(plan.out)")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "active.api").out == Self.deepseek)
    let read = try sandbox.keyplan("get", "main")
    #expect(read.code == 0 && read.out == Self.openai && read.err.contains("Provider rejects the key"))

    sandbox.variables["MAIN"] = "sk-another-made-up-value"
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "active.api").out == "sk-another-made-up-value")
    #expect(try sandbox.keyplan("drift").code == 0)
  }

  @Test func `changes nothing if a provider does not say`() throws {
    let project = try Project("  openai: { address: ROOT/openai/8 }\n  deepseek: { address: \"http://127.0.0.1:1\" }")
    let sandbox = project.sandbox
    let before = try Data(contentsOf: URL(filePath: sandbox.store))
    let verified = try sandbox.keyplan("verify")
    #expect(verified.code == 8 && verified.out.contains("2 unknown."), "\(verified.out)\(verified.err)")
    #expect(try Data(contentsOf: URL(filePath: sandbox.store)) == before)
    #expect(try sandbox.keyplan("plan").out.contains("No changes"))
  }

  @Test func `asks for the named keys only, and for no key of a provider without a check`() throws {
    let project = try Project(
      "  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }",
      keys: Project.keys + "\n  other: { provider: generic, variable: OTHER, source: env://MAIN }")
    let sandbox = project.sandbox
    let one = try sandbox.keyplan("verify", "spare")
    #expect(one.code == 0 && one.out.contains("1 valid.") && !one.out.contains("main"), "\(one.out)\(one.err)")
    let all = try sandbox.keyplan("verify", "--json")
    #expect(all.code == 0, "\(all.out)\(all.err)")
    #expect(all.out.contains(#""notChecked":"noCheck""#) && all.out.contains(#""isRecorded":true"#), "\(all.out)")
    #expect(try sandbox.keyplan("verify", "other").code == 1)
    #expect(try sandbox.keyplan("verify", "--quiet").out.isEmpty)
    #expect(try sandbox.keyplan("verify", "nothing").code == 1)
  }

  @Test func `a check that the manifest describes has the same power, once it was applied`() throws {
    let acme = """
        acme:
          variable: MAIN
          address: ROOT/openai/0
          check:
            get: /v1/models
            auth: { bearer: "{key}" }
            outcomes: [{ status: 200, at: /data, then: valid }]
      """
    let project = try Project(
      acme,
      keys:
        "  main: { provider: acme, source: env://MAIN }\n  spare: { provider: generic, variable: S, source: env://SPARE }"
    )
    let verified = try project.sandbox.keyplan("verify", "main")
    #expect(verified.code == 0 && verified.out.contains("1 valid."), "\(verified.out)\(verified.err)")
  }

  /// What a change of the manifest alone could try: to have a key sent to somewhere else.
  private static let attacks: [(name: String, providers: String, keys: String)] = [
    (
      "another provider, at a host that is permitted for its own keys",
      "  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }",
      "  main: { provider: deepseek, source: env://MAIN }\n  spare: { provider: deepseek, source: env://SPARE }"
    ),
    (
      "another built-in provider", "  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }",
      "  main: { provider: mistral, source: env://MAIN }\n  spare: { provider: deepseek, source: env://SPARE }"
    ),
    (
      "another address on the same host",
      "  openai: { address: ROOT/openai/1 }\n  deepseek: { address: ROOT/deepseek/0 }", Project.keys
    ),
    (
      "another host", "  openai: { address: \"http://127.0.0.1:1\" }\n  deepseek: { address: ROOT/deepseek/0 }",
      Project.keys
    ),
    (
      "another request",
      """
        openai:
          address: ROOT/openai/0
          check: { get: /v1/models, auth: { bearer: "{key}" }, outcomes: [{ status: 200, then: valid }] }
        deepseek: { address: ROOT/deepseek/0 }
      """, Project.keys
    ),
    ("the built-in address again", "  openai: {}\n  deepseek: { address: ROOT/deepseek/0 }", Project.keys),
    (
      "a provider of its own with the address of another one",
      "  evil: { variable: V, address: ROOT/openai/0, check: { get: /v1/models, auth: { bearer: \"{key}\" } } }\n"
        + "  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }",
      "  main: { provider: evil, source: env://MAIN }\n  spare: { provider: deepseek, source: env://SPARE }"
    ),
  ]

  @Test("sends no key before a change of the manifest was applied", arguments: attacks.indices, [true, false])
  func attacked(_ index: Int, isTrusted: Bool) throws {
    let attack = Self.attacks[index]
    let project = try Project("  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }")
    let sandbox = project.sandbox
    if !isTrusted { sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted" }
    // Nothing leaves the machine, not even if the rule that is tested is broken.
    sandbox.variables["HTTPS_PROXY"] = project.root
    #expect(try sandbox.keyplan("verify", "main").code == 0)
    let serial = try sandbox.keyplan("show", "--json").out.firstMatch(of: /"serial":(\d+)/)?.output.1
    try project.write(attack.providers, keys: attack.keys)
    let verified = try sandbox.keyplan("verify", "main", "--json")
    #expect(verified.code == 7, "\(attack.name): \(verified.out)\(verified.err)")
    #expect(verified.out.contains(#""notChecked":"notApplied""#) && !verified.out.contains("outcome"), "\(attack.name)")
    let after = try sandbox.keyplan("show", "--json").out.firstMatch(of: /"serial":(\d+)/)?.output.1
    #expect(serial == after)
  }

  @Test func `sends a key to another address once that was applied`() throws {
    let project = try Project("  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }")
    let sandbox = project.sandbox
    try project.write("  openai: { address: ROOT/openai/6 }\n  deepseek: { address: ROOT/deepseek/0 }")
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("check of openai: address") && plan.out.contains("/openai/6"), "\(plan.out)")
    #expect(try sandbox.keyplan("verify", "main").code == 7)
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    let verified = try sandbox.keyplan("verify", "main")
    #expect(verified.code == 2 && verified.out.contains("no credit"), "\(verified.out)\(verified.err)")
  }

  @Test func `an identity that can only plan sends nothing`() throws {
    let project = try Project("  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }")
    let other = try ProgramSandbox()
    try #require(other.keyplan("identity", "new").code == 0)
    let shown = try other.keyplan("identity", "show").out
    let recipient = String(try #require(shown.firstMatch(of: /age1[0-9a-z]+/)).output)
    let path = project.sandbox.project + "/keyplan.yaml"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let more = text.replacingOccurrences(
      of: "recipients: { ", with: "recipients: { pr: { key: \(recipient), can: plan }, ")
    try project.sandbox.write(more, to: "keyplan.yaml")
    try #require(project.sandbox.keyplan("apply", "--yes").code == 0)
    project.sandbox.variables["KEYPLAN_IDENTITY_FILE"] = other.identity
    let verified = try project.sandbox.keyplan("verify", "--identity", other.identity)
    #expect(
      verified.code == 9 && verified.err.contains("Identity cannot read values"), "\(verified.out)\(verified.err)")
  }

  @Test("shows a key to nobody but its provider", needsTracer)
  func traced() throws {
    try FaultTracer.requireTracer()
    let project = try Project(
      "  xai: { address: ROOT/xai/0 }\n  groq: { address: ROOT/groq/1 }",
      keys: "  main: { provider: xai, source: env://MAIN }\n  spare: { provider: groq, source: env://SPARE }",
      apply: false)
    let sandbox = project.sandbox
    let values = ["xai-MadeUpForTheTests", "gsk_MadeUpForTheTests"]
    (sandbox.variables["MAIN"], sandbox.variables["SPARE"]) = (values[0], values[1])
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    // The environment of the program would be found in what it starts.
    (sandbox.variables["MAIN"], sandbox.variables["SPARE"]) = (nil, nil)
    let watch = try CanaryWatch(sandbox, credentials: [], values: values)
    try watch.run("verify --verbose", [2])
    try watch.run("verify --json --verbose", [2])
    try watch.run("verify main", [0])
    try watch.run("drift --verify --verbose", [2])
    try watch.run("plan --verify --verbose --json --out checked.kp", [0])
    try watch.run("apply --verify --yes --verbose", [0])
    try project.write(
      "  xai: { address: ROOT/groq/0 }\n  groq: { address: ROOT/groq/1 }",
      keys: "  main: { provider: xai, source: env://MAIN }\n  spare: { provider: groq, source: env://SPARE }")
    try watch.run("verify --verbose", [7])
    try watch.run("show key.main --json", [0])
  }
}
