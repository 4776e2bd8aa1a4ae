import KeyplanLocal
import KeyplanModel
import KeyplanProviders
import Testing

@testable import KeyplanManifest

/// Keys that are made at their providers.
@Suite struct MintTests {
  private static let backends = [
    BackendDescription(
      "acme-keys", title: "Acme",
      connection: ConnectionGrammar([
        BackendField("address", .url, isRequired: true), BackendField("token", .secret),
        BackendField("team", .name, isPlace: true),
      ]),
      issuer: IssuerGrammar(
        fields: [BackendField("project", .name, isRequired: true), BackendField("limit", .int(1...9))], parts: ["key"],
        canDisable: true)),
    BackendDescription(
      "pair-keys", title: "Pair", connection: ConnectionGrammar([], hosts: ["pair.example"], isOptional: true),
      issuer: IssuerGrammar(fields: [BackendField("user", .name, isAccess: true)], parts: ["accessKeyId", "secret"])),
    BackendDescription(
      "hand-keys", title: "Hand", connection: ConnectionGrammar([], isOptional: true),
      issuer: IssuerGrammar(
        fields: [], parts: ["key"], manual: ManualMint(page: "https://hand.example", steps: "Create a key."),
        canRevoke: false)),
  ]

  private static let connections = """
    connections:
      admin: { type: acme-keys, address: "https://acme.example", token: env://T, team: t }

    """

  private func read(_ yaml: String) throws -> ManifestReader.Reading {
    let reader = ManifestReader(
      catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
      secretPrefixes: SecretPrefixes.builtIn, backends: LocalBackends.descriptions + Self.backends)
    return reader.read(base: text("version: 1\n" + yaml))
  }

  private func faults(_ yaml: String) throws -> [String] {
    try read(yaml).diagnostics.map { [$0.detail, $0.hint].compactMap(\.self).joined(separator: " | ") }
  }

  private func key(_ name: String, _ yaml: String) throws -> Key {
    let reading = try read(yaml)
    #expect(reading.diagnostics == [])
    return try #require(Identifier<Key>(name).flatMap { reading.manifest?.keys[$0] })
  }

  @Test("a key names a connection and a place, which are recorded as one text, and needs the connection's permission")
  func minted() throws {
    let yaml =
      Self.connections
      + "keys: { a: { provider: openai, source: { mint: admin, project: shop, limit: 3 }, expires: { after: 9d, then: rotate, overlap: 2h } } }"
    let key = try key("a", yaml)
    let minting = try #require(key.minting)
    #expect(minting.place.type == "admin" && minting.place.location == "shop, limit 3 (team t)")
    #expect(minting.place.surface == ExternalAccess(.host, "acme.example"))
    #expect(minting.parts == [.init("key", minting.key)] && minting.manual == nil)
    #expect(key.sources.isEmpty && key.facts.sources == ["mint: admin shop, limit 3 (team t)"])
    #expect(key.facts.variable == "OPENAI_API_KEY" && key.facts.expiry?.overlap == Interval(seconds: 7200))
    let manifest = try #require(try read(yaml).manifest)
    #expect(manifest.usedConnections.map(\.name.name) == ["admin"])
    #expect(
      manifest.surface[ExternalAccess(.host, "acme.example")] == [
        "connection admin: address https://acme.example, team t, token env://T"
      ])
    #expect(try self.key("a", yaml.replacing("2h", with: "none")).facts.expiry?.overlap == Interval(seconds: 0))
  }

  @Test("a key with several parts is one key for each of them, with variables of their own") func parts() throws {
    let yaml = """
      keys:
        ci:
          provider: generic
          source: { mint: pair-keys, user: deploy }
          parts: { accessKeyId: AWS_ACCESS_KEY_ID, secret: ~ }
      targets:
        app: { type: dotenv, path: .env, keys: { ID: ci.accessKeyId, "*": ci.accessKeyId, SECRET: ci.secret } }
      """
    let (id, secret) = (try key("ci.accessKeyId", yaml), try key("ci.secret", yaml))
    #expect(id.minting == secret.minting && id.minting?.parts.map(\.key.name) == ["ci.accessKeyId", "ci.secret"])
    #expect(id.minting?.key.name == "ci" && id.isPart)
    #expect(id.facts.variable == "AWS_ACCESS_KEY_ID" && id.facts.ownsVariable && secret.facts.variable == nil)
    let manifest = try #require(try read(yaml).manifest)
    #expect(manifest.keys.count == 2)
    // A field that decides who gets the credential is a term.
    #expect(
      manifest.surface[ExternalAccess(.host, "pair.example")]?.sorted() == ["connection pair-keys", "user deploy"])
  }

  @Test("a key with several parts is moved by its own name: all its parts, and none alone") func moved() throws {
    let key =
      "keys: { ci: { provider: generic, source: { mint: pair-keys, user: u }, parts: { secret: S } }, b: { provider: openai } }\n"
    func migrations(_ list: String) throws -> [String] {
      try #require(try read(key + "migrations: [\(list)]").manifest).migrations.map { "\($0.number) \($0.mark)" }
    }
    #expect(
      try migrations("{ moved: old, to: ci }") == [
        "1 move old.accessKeyId ci.accessKeyId", "1 move old.secret ci.secret",
      ])
    // Through a name in between.
    #expect(
      try migrations("{ moved: old, to: older }, { moved: older, to: ci }") == [
        "1 move old.accessKeyId ci.accessKeyId", "1 move old.secret ci.secret",
        "2 move older.accessKeyId ci.accessKeyId",
        "2 move older.secret ci.secret",
      ])
    for written in [
      "{ moved: old.secret, to: ci.secret }", "{ moved: old, to: ci.secret }", "{ moved: old.secret, to: ci }",
    ] {
      #expect(
        try faults(key + "migrations: [\(written)]") == [
          "The parts of \"ci\" are moved together. | { moved: old, to: ci }"
        ], "\(written)")
    }
    #expect(
      try faults(key + "migrations: [{ moved: ci, to: b }]") == [
        "\"ci\" is still declared, so it cannot have been moved. | Remove the key with the old name."
      ])
  }

  @Test("one that only a person can make says where and how") func manual() throws {
    let key = try key("a", "keys: { a: { provider: generic, source: { mint: hand-keys } } }")
    #expect(key.minting?.manual?.page == "https://hand.example")
    #expect(key.facts.sources == ["mint: hand-keys"])
  }

  @Test("a key cannot be declared with a name that only a part has") func names() throws {
    #expect(
      try faults("keys: { a.b: { provider: generic } }").first?.hasPrefix(
        "A key's name consists of at most 63 characters")
        == true)
  }

  @Test(
    "what is wrong is said, with what to do",
    arguments: [
      (
        "{ mint: amdin, project: p }",
        ["Unknown connection \"amdin\". | Did you mean \"admin\"?"]
      ),
      (
        "{ mint: acme-keys, project: p }",
        [
          "Unknown connection \"acme-keys\". | Declare one: connections: { NAME: { type: acme-keys, address: … } }."
        ]
      ),
      ("{ mint: admin }", ["The field \"project\" is missing."]),
      ("{ mint: admin, project: a/.. }", ["\"project\" must be a name: . and .. are not allowed as parts of it."]),
      ("{ mint: admin, project: p, limit: 10 }", ["\"limit\" must be between 1 and 9."]),
      ("{ mint: admin, project: p, zone: z }", ["\"zone\" is not a field of a key that is made."]),
      ("[env://A, { mint: admin, project: p }]", ["\"mint\" cannot be combined with other sources."]),
      ("{ mint: [admin], project: p }", ["\"mint\" must be a string, not a list."]),
    ])
  func faulty(source: String, told: [String]) throws {
    let found = try faults(Self.connections + "keys: { a: { provider: generic, source: \(source) } }")
    #expect(found.count == told.count && zip(found, told).allSatisfy { $0.hasPrefix($1) }, "\(found)")
  }

  @Test("what does not go together is said") func conflicts() throws {
    #expect(
      try faults(
        Self.connections + """
          policies: { p: { after: 9d, overlap: 1h } }
          keys:
            a: { provider: generic, source: { mint: admin, project: p }, issued: 2026-01-01, parts: { key: A } }
            b: { provider: generic, source: { mint: pair-keys }, variable: B, parts: { id: I } }
            c: { provider: generic, source: env://C, parts: { key: A } }
            d: { provider: generic, source: { mint: pair-keys }, parts: { secret: PATH } }
          targets:
            app: { type: dotenv, path: .env, keys: { B: b } }
          """
      ).map { String($0.prefix { $0 != "|" }).trimmingSuffix(while: \.isWhitespace) } == [
        "\"overlap\" says how long a replaced key stays valid, which needs \"then: rotate\".",
        "\"issued\" does not apply to a key that keyplan has made, whose age counts from then.",
        "The keys of this connection have one part.",
        "A key with several parts has a variable for each: accessKeyId, secret.",
        "Unknown part \"id\".",
        "Only a key that is made at its provider can have several parts: source: { mint: CONNECTION }.",
        "\"PATH\" affects what programs load, run or trust.",
        "\"b\" has several parts.",
      ])
  }
}

extension String {
  fileprivate func trimmingSuffix(while isLeftOut: (Character) -> Bool) -> String {
    var text = self[...]
    while let last = text.last, isLeftOut(last) { text.removeLast() }
    return String(text)
  }
}
