import KeyplanLocal
import KeyplanModel
import KeyplanPlanning
import KeyplanProviders
import Testing

@testable import KeyplanManifest

/// Connections to a service that nothing but its description knows of.
@Suite("A connection is read by the description of its type")
struct ConnectionTests {
  static func acme() throws -> BackendDescription {
    BackendDescription(
      "acme", title: "Acme",
      connection: ConnectionGrammar(
        [
          BackendField("address", .url, isRequired: true), BackendField("token", .secret, variables: ["ACME_TOKEN"]),
          BackendField("team", .name, default: "main", isPlace: true),
          BackendField("zone", .label, pattern: try FormatPattern("[a-z]{2,9}")), BackendField("tls", .bool),
          BackendField("retries", .int(0...9)), BackendField("scopes", .list),
          BackendField("mode", .choice(["fast", "careful"])), BackendField("folder", .path), BackendField("ca", .file),
        ],
        hosts: ["login.{zone}.acme.example"]),
      reference: ReferenceGrammar(
        .place(what: "the path of a secret"), selector: .field, example: "acme://live/one#key", isLocal: false),
      target: TargetGrammar(
        fields: [
          BackendField("project", .name, isRequired: true), BackendField("scope", default: "*"),
          BackendField("count", .int(1...99)),
        ], readsBack: .marks, takesEffect: .nextDeploy,
        notices: [
          TargetNotice(.create, fields: ["team": "main"], words: "one"),
          TargetNotice(.create, fields: ["team": "main", "tls": "true"], words: "two"),
          TargetNotice(.create, fields: ["tls": "false"], words: "not this one"),
          TargetNotice(.create, fields: ["zone": "us"], words: "nor this one"), TargetNotice(.remove, words: "three"),
        ]))
  }

  /// A service that its own name leads to.
  static let depot = BackendDescription(
    "depot", title: "Depot",
    connection: ConnectionGrammar(
      [BackendField("address", .url, variables: ["DEPOT_ADDR"]), BackendField("token", .secret)],
      isOptional: true),
    reference: ReferenceGrammar(.place(what: "a place"), example: "depot://place", isLocal: false),
    target: TargetGrammar(fields: [BackendField("shelf", isRequired: true)]))

  private func read(_ yaml: String, overlay: String? = nil) throws -> ManifestReader.Reading {
    let reader = ManifestReader(
      catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
      secretPrefixes: SecretPrefixes.builtIn,
      backends: LocalBackends.descriptions + [try Self.acme(), Self.depot])
    return reader.read(
      base: text("version: 1\n" + yaml), overlay: overlay.map { text($0, file: "keyplan.staging.yaml") },
      environment: overlay == nil ? nil : "staging")
  }

  private func faults(_ yaml: String) throws -> [String] {
    try read(yaml).diagnostics.map { [$0.detail, $0.hint].compactMap(\.self).joined(separator: " | ") }
  }

  private static let shop = """
    connections:
      shop:
        { type: acme, address: "https://acme.example:8443/", token: env://ACME_TOKEN, zone: eu, tls: true, retries: 3,
          scopes: [read, write], mode: fast, folder: a/b, ca: ca.pem }

    """

  @Test("each field is what its kind says, and the hosts follow from the fields")
  func values() throws {
    let manifest = try #require(try read(Self.shop).manifest)
    let shop = try #require(manifest.connections.values.first)
    #expect(shop.name.name == "shop" && shop.type == "acme")
    #expect(
      shop.values.mapValues(\.description) == [
        "address": "https://acme.example:8443", "token": "env://ACME_TOKEN", "zone": "eu", "tls": "true",
        "retries": "3", "scopes": "read write", "mode": "fast", "folder": "a/b", "ca": "ca.pem", "team": "main",
      ])
    #expect(shop.hosts.map(\.text) == ["acme.example:8443", "login.eu.acme.example"])
    #expect(shop.secrets.map(\.description) == ["env://ACME_TOKEN"] && shop.files.map(\.location) == ["ca.pem"])
    let term =
      "connection shop: address https://acme.example:8443, ca ca.pem, folder a/b, mode fast, retries 3, "
      + "scopes read write, tls true, token env://ACME_TOKEN, zone eu"
    #expect(
      shop.surfaceTerms == [
        ExternalAccess(.host, "acme.example:8443"): [term], ExternalAccess(.host, "login.eu.acme.example"): [term],
      ])
  }

  @Test("a value that is the default is no term, so that nothing is asked when it is written out")
  func defaults() throws {
    let yaml = "connections: { shop: { type: acme, address: 'https://a.example', zone: eu, team: %, token: env://T } }"
    func terms(_ team: String) throws -> Set<String>? {
      try read(yaml.replacing("%", with: team)).manifest?.connections.values.first?.surfaceTerms.values.first
    }
    let written = try #require(try terms("main"))
    #expect(written == ["connection shop: address https://a.example, token env://T, zone eu"])
    #expect(try terms("other") == ["connection shop: address https://a.example, team other, token env://T, zone eu"])
  }

  @Test("its name is a scheme, and the place of a target has what the connection adds to it")
  func uses() throws {
    let manifest = try #require(
      try read(
        Self.shop + """
          keys: { a: { provider: openai, source: "shop://live/one#key" } }
          targets:
            t: { type: acme, connection: shop, project: web, keys: { A: a } }
            u: { type: acme, connection: shop, project: "a, b", scope: live, count: 3, keys: { A: a } }
          """
      ).manifest)
    let host = ExternalAccess(.host, "acme.example:8443")
    let source = try #require(manifest.keys.values.first?.sources.first)
    #expect(source.description == "shop://live/one#key" && source.surface == host && !source.isLocal)
    let targets = manifest.targets.sorted { $0.key < $1.key }.map(\.value)
    #expect(
      targets.map(\.destination) == [
        Destination(type: "shop", location: "web, scope * (team main)", surface: host),
        Destination(type: "shop", location: "\"a, b\", scope live, count 3 (team main)", surface: host),
      ])
    #expect(targets.map(\.takesEffect) == [.nextDeploy, .nextDeploy])
    #expect(targets.map { $0.notice(of: .create) } == ["one; two", "one; two"])
    #expect(targets.map { $0.notice(of: .remove) } == ["three", "three"])
    let grammar = try #require(try Self.acme().target)
    #expect(
      targets.map { grammar.values(at: $0.destination.location) } == [
        ["project": "web", "scope": "*"], ["project": "a, b", "scope": "live", "count": "3"],
      ])
  }

  @Test("a backend's own name is a scheme and a target's type where its description allows that")
  func ownName() throws {
    let manifest = try #require(
      try read(
        """
        keys: { a: { provider: openai, source: "depot://place" } }
        targets: { t: { type: depot, shelf: top, keys: { A: a } } }
        """
      ).manifest)
    // Whoever decides about the environment decides where it leads.
    let host = ExternalAccess(.host, "$DEPOT_ADDR")
    #expect(manifest.keys.values.first?.sources.first?.surface == host)
    #expect(manifest.targets.values.map(\.destination) == [Destination(type: "depot", location: "top", surface: host)])
    #expect(manifest.connections.values.map(\.surfaceTerms) == [[host: ["connection depot"]]])
    #expect(
      try faults(
        """
        keys: { a: { provider: openai, source: "acme://live/one" } }
        targets: { t: { type: acme, project: web, keys: { A: a } } }
        """
      ) == [
        "acme:// needs a connection. | Declare one: connections: { NAME: { type: acme, address: … } }.",
        "The field \"connection\" is missing. | Declare one: connections: { NAME: { type: acme, address: … } }.",
      ])
  }

  @Test(
    "what does not fit is reported, all at once, with what was probably meant",
    arguments: [
      (written: "{ address: 'https://a' }", told: ["The field \"type\" is missing."]),
      (
        written: "{ type: acne, address: 'http://a' }",
        told: [
          "\"type\" must be acme, depot or keychain. | Did you mean \"acme\"?",
          "\"address\" must be an https:// address; http:// is allowed for this machine only."
            + " | For example, https://vault.example.com:8200.",
        ]
      ),
      (
        written: "{ type: acme, adress: 'https://a', retries: 10, tls: 'yes', mode: fats }",
        told: [
          "\"adress\" is not a field of an acme connection. | Did you mean \"address\"?",
          "\"retries\" must be between 0 and 9.",
          "\"tls\" must be true or false, not a string.",
          "\"mode\" must be fast or careful. | Did you mean \"fast\"?",
        ]
      ),
      (
        written:
          "{ type: acme, address: 'https://a', zone: EU, team: a/../b, folder: 'a//b', scopes: read, retries: x }",
        told: [
          "\"zone\" must match [a-z]{2,9}.",
          "\"team\" must be a name: . and .. are not allowed as parts of it.",
          "\"folder\" must consist of names separated by /, without . and ...",
          "\"scopes\" must be a list of strings, not a string.",
          "\"retries\" must be a whole number, not a string.",
        ]
      ),
      (
        written: "{ type: acme, address: 'https://a', zone: -a, ca: .. }",
        told: [
          "\"zone\" must consist of at most 63 letters, digits and -.", "\"ca\" is not the path of a file.",
        ]
      ),
      (
        written: "{ type: acme, address: 'https://a', address: 'https://b' }",
        told: ["\"address\" is already defined in line 2."]
      ),
      (
        written: "{ type: acme, address: 'https://a', token: 'shop://x' }",
        told: [
          "The credentials of a connection cannot come through another connection. | "
            + "Use a variable, a file or a command: for example, env://NAME."
        ]
      ),
      (
        written: "{ type: acme, address: 'https://a', token: 'depot://x' }",
        told: [
          "The credentials of a connection cannot come through another connection. | "
            + "Use a variable, a file or a command: for example, env://NAME."
        ]
      ),
    ])
  func misfits(written: String, told: [String]) throws {
    #expect(Set(try faults("connections: { shop: \(written) }")) == Set(told))
  }

  @Test(
    "an address names one host, to whichever program reads it",
    arguments: [
      "acme.example\\.mallory.example", "acme.example%2F.mallory.example", "a b", "acme\u{2024}example", "ä.example",
    ])
  func hosts(host: String) throws {
    let told = try faults("connections: { shop: { type: acme, address: 'https://\(host)/x' } }")
    #expect(
      told == [
        "\"address\" must be an https:// address; http:// is allowed for this machine only."
          + " | For example, https://vault.example.com:8200."
      ])
  }

  @Test("a secret written in the place of a reference is an error that does not repeat it")
  func literal() throws {
    let reading = try read("connections: { shop: { type: acme, address: 'https://a', token: correct-horse-battery } }")
    #expect(reading.manifest == nil)
    #expect(reading.diagnostics.map(\.code) == [.invalidReference])
    #expect(!told(reading).contains("horse"))
  }

  @Test(
    "no name shadows what is built in",
    arguments: [
      "env", "file", "dotenv", "json", "yaml", "plist", "command", "acme", "depot", "keychain", "store",
    ])
  func reserved(name: String) throws {
    let reading = try read("connections: { \(name): { type: acme, address: 'https://a' } }")
    #expect(reading.diagnostics.map(\.code) == [.conflict], "\(told(reading))")
    #expect(reading.manifest == nil)
  }

  @Test("a target's connection is one of its type")
  func types() throws {
    let connections = """
      connections: { shop: { type: acme, address: "https://a" }, yard: { type: depot, address: "https://b" } }
      keys: { a: { provider: openai } }

      """
    func told(_ target: String) throws -> [String] { try faults(connections + "targets: { t: { \(target) } }") }
    #expect(
      try told("type: acme, project: x, keys: {}") == [
        "The field \"connection\" is missing. | For example, connection: shop."
      ])
    #expect(
      try told("type: acme, connection: shpo, project: x, keys: {}") == [
        "Unknown connection \"shpo\". | Did you mean \"shop\"?"
      ])
    #expect(
      try told("type: acme, connection: yard, project: x, keys: {}") == [
        "\"yard\" is a depot connection, not an acme connection."
      ])
    #expect(try told("type: acme, connection: shop, project: .., keys: {}").count == 1)
    #expect(try told("type: dotenv, connection: shop, path: x, keys: {}").first?.contains("not a field") == true)
  }

  @Test("an overlay changes single fields of a connection, and removes one")
  func overlays() throws {
    let base = """
      connections: { shop: { type: acme, address: "https://a", team: red }, yard: { type: depot } }
      keys: { a: { provider: openai, source: shop://x } }
      """
    let reading = try read(base, overlay: "connections: { shop: { address: 'https://b' }, yard: null }")
    let manifest = try #require(reading.manifest, "\(told(reading))")
    let shop = try #require(manifest.connections.values.first)
    #expect(manifest.connections.count == 1)
    #expect(shop.values["address"] == .text("https://b") && shop.values["team"] == .text("red"))
  }

  @Test("a rule about a service holds for what leads to it under another name")
  func rules() throws {
    let reading = try read(
      """
      connections: { yard: { type: depot } }
      keys: { a: { provider: openai, source: yard://x } }
      rules: { far: { forbidSources: [depot] } }
      """)
    let manifest = try #require(reading.manifest, "\(told(reading))")
    #expect(manifest.brokenRules.count == 1)
  }

  @Test("what cannot be used yet is named, and holds back only what leads through it")
  func later() throws {
    let reading = try read(
      """
      connections: { team: { type: keychain }, shop: { type: acme, address: "https://a", token: keychain://x } }
      keys:
        a: { provider: openai, source: team://x }
        b: { provider: openai, source: shop://x }
      targets: { t: { type: acme, connection: shop, project: x, keys: {} } }
      """)
    let manifest = try #require(reading.manifest, "\(told(reading))")
    #expect(
      manifest.unsupported.map { "\($0.address): \($0.what)" } == [
        "key.a: keychain sources", "key.b: keychain sources", "target.t: keychain sources",
      ])
  }

  @Test("a path that was copied from an address, with the part that requests add, is reported")
  func doubledParts() {
    check(
      """
      version: 1
      connections: { bao: { type: vault, address: "https://bao.dev" } }
      keys:
        a: { provider: generic, source: 1️⃣"bao://secret/data/app#A" }
        b: { provider: generic, source: "bao://secret/app/data#A" }
        c: { provider: generic, source: "bao://secret/data#A" }
      targets:
        2️⃣t: { type: vault, connection: bao, path: secret/data/app, keys: { A: a } }
        u: { type: vault, connection: bao, path: secret/database/app, keys: { A: a } }
      """,
      Fault(.questionable, "\"secret/data/app\"", hint: "Write secret/app, unless"),
      Fault(.questionable, "\"secret/data/app\"", hint: "Write secret/app, unless"))
  }
}
