import KeyplanManifest
import KeyplanModel
import KeyplanProviders
import Testing

@testable import KeyplanOperations

/// Manifests with services that need no declared connection.
@Suite struct ServiceManifestTests {
  private func read(_ lines: String) throws -> (manifest: Manifest?, problems: [String]) {
    let reader = ManifestReader(
      catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
      secretPrefixes: SecretPrefixes.builtIn, backends: KnownBackends.all)
    let text = "version: 1\nkeys: { claude: { provider: anthropic } }\n" + lines
    let reading = reader.read(base: .init(file: "keyplan.yaml", bytes: Array(text.utf8)))
    return (reading.manifest, reading.diagnostics.map { "\($0)" })
  }

  private func terms(_ lines: String) throws -> [String: Set<String>] {
    let (manifest, problems) = try read(lines)
    let read = try #require(manifest, "\(problems)")
    return Dictionary(uniqueKeysWithValues: read.surface.map { ($0.description, $1) })
  }

  private static func cluster(_ context: String, _ name: String = "cluster") -> String {
    "\(name): { type: kubernetes, context: \(context), namespace: shop, name: \(name)-keys, keys: { anthropic: claude } }"
  }

  @Test("a context is part of the permission: another one, or a further one, has to be allowed anew")
  func contexts() throws {
    let one = try terms("targets: { \(Self.cluster("prod")) }")
    #expect(one == ["host $KUBECONFIG": ["connection kubernetes", "context prod"]])
    #expect(try terms("targets: { \(Self.cluster("staging")) }") != one)
    let two = try terms("targets: { \(Self.cluster("prod")), \(Self.cluster("other", "more")) }")
    #expect(two == ["host $KUBECONFIG": ["connection kubernetes", "context prod", "context other"]])
    // A namespace does not decide who gets the credential.
    #expect(try terms("targets: { \(Self.cluster("prod").replacing("shop", with: "other")) }") == one)
  }

  @Test("a connection names its context, and so do the places of its targets")
  func connection() throws {
    let lines = """
      connections: { prod: { type: kubernetes, context: prod } }
      targets: { t: { type: kubernetes, connection: prod, namespace: shop, name: keys, keys: { a: claude } } }
      """
    #expect(try terms(lines) == ["host $KUBECONFIG": ["connection prod: context prod"]])
    let manifest = try #require(try read(lines).manifest)
    #expect(manifest.targets.values.map(\.destination.location) == ["shop, keys (context prod)"])
    let place = try #require(try read("targets: { \(Self.cluster("prod")) }").manifest).targets.values.first
    #expect(place?.destination.location == "context prod, shop, cluster-keys")
    #expect(place?.destination.type == "kubernetes")
  }

  @Test("each node of a Vault cluster is a host of its own that has to be allowed, and must be an address")
  func nodes() throws {
    func lines(_ nodes: String) -> String {
      """
      connections: { bao: { type: vault, address: "https://bao.internal:8200", token: env://T\(nodes) } }
      targets: { t: { type: vault, connection: bao, path: secret/app, keys: { a: claude } } }
      """
    }
    #expect(try terms(lines("")).keys.sorted() == ["host bao.internal:8200"])
    let two = try terms(lines(", nodes: [\"https://bao-2.internal:8200/\", \"https://EVIL.example\"]"))
    #expect(two.keys.sorted() == ["host bao-2.internal:8200", "host bao.internal:8200", "host evil.example"])
    #expect(Set(two.values).count == 1)
    for node in ["http://bao-2.internal", "bao-2.internal", "https://user:secret@bao-2.internal", "https://a b"] {
      let (manifest, problems) = try read(lines(", nodes: [\"\(node)\"]"))
      #expect(manifest == nil && !problems.isEmpty && !problems.joined().contains("secret@"), "\(node)")
    }
  }

  @Test("the host that exchanges Google's keys for tokens has to be allowed, too")
  func google() throws {
    func hosts(_ more: String) throws -> [String] {
      let lines = """
        connections: { g: { type: gcp\(more) } }
        targets: { t: { type: gcp, connection: g, project: p, keys: { a: claude } } }
        """
      return try terms(lines).keys.sorted()
    }
    let usual = [
      "host iamcredentials.googleapis.com", "host oauth2.googleapis.com", "host secretmanager.googleapis.com",
      "host sts.googleapis.com",
    ]
    #expect(try hosts("") == usual)
    #expect(
      try hosts(", oauth: \"https://evil.example\"")
        == (usual.filter { !$0.contains("oauth2") } + ["host evil.example"]).sorted())
  }

  @Test("a repository and its environment are one place, and GitHub's host gets the credential")
  func github() throws {
    let lines =
      "targets: { ci: { type: github, repository: acme/shop, environment: production, keys: { ANTHROPIC_API_KEY: claude } } }"
    #expect(try terms(lines) == ["host api.github.com": ["connection github"]])
    let target = try #require(try read(lines).manifest?.targets.values.first)
    #expect(target.destination.location == "repository acme/shop, environment production")
  }

  @Test(
    "what the services cannot have is reported",
    arguments: [
      "a: { type: kubernetes, namespace: shop, keys: { a: claude } }",
      "a: { type: kubernetes, namespace: ../x, name: k, keys: { a: claude } }",
      "a: { type: kubernetes, namespace: shop, name: ../k, keys: { a: claude } }",
      "a: { type: kubernetes, namespace: shop, name: k, keys: { a/b: claude } }",
      "a: { type: github, keys: { A: claude } }",
      "a: { type: github, repository: shop, keys: { A: claude } }",
      "a: { type: github, repository: acme/.., keys: { A: claude } }",
      "a: { type: github, repository: acme/shop/x, keys: { A: claude } }",
      "a: { type: github, repository: acme/shop, kind: pages, keys: { A: claude } }",
      "a: { type: github, repository: acme/shop, keys: { GITHUB_A: claude } }",
      "a: { type: github, repository: acme/shop, keys: { a: claude, A: claude } }",
    ])
  func faults(target: String) throws {
    let (manifest, problems) = try read("targets: { \(target) }")
    #expect(manifest == nil && problems.count == 1, "\(problems)")
  }
}
