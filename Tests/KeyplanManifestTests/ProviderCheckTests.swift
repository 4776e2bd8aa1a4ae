import KeyplanModel
import KeyplanPlanning
import KeyplanServices
import Testing

@testable import KeyplanManifest

/// How keys of a provider are checked, as the manifest declares it.
@Suite struct ProviderCheckTests {
  private func manifest(_ provider: String) throws -> Manifest {
    let yaml = "version: 1\nproviders: { acme: \(provider) }\nkeys: { a: { provider: acme, variable: A } }"
    return try #require(reader.read(base: text(yaml)).manifest)
  }

  private static let check = "{ get: /me, auth: { bearer: '{key}' }, outcomes: [{ status: 200, then: valid }] }"

  @Test("a described check has its address, its hosts and a digest that comments and order do not change")
  func described() throws {
    let one = try #require(
      try manifest("{ address: 'https://api.acme.example/v2', check: \(Self.check) }").providers["acme"]?.check)
    #expect(one.address == "https://api.acme.example/v2")
    #expect(one.hosts == [ExternalAccess(.host, "api.acme.example")])
    #expect(one.digest?.hasPrefix("sha256:") == true)
    let ordered = "{ outcomes: [{ then: valid, status: 200 }], auth: { bearer: \"{key}\" }, get: /me }"
    let two = try manifest("{ check: \(ordered), address: 'https://api.acme.example/v2' }").providers["acme"]?.check
    #expect(two?.digest == one.digest)
    let other = Self.check.replacing("/me", with: "/you")
    let three = try manifest("{ address: 'https://api.acme.example/v2', check: \(other) }").providers["acme"]?.check
    #expect(three?.digest != nil && three?.digest != one.digest)
  }

  @Test(
    "its hosts are surface, those of other regions, too, with terms that name the provider, the address and the digest")
  func surface() throws {
    let regions = Self.check.replacing("get:", with: "regions: ['https://eu.acme.example'], get:")
    let manifest = try manifest("{ address: 'https://api.acme.example', check: \(regions) }")
    let digest = try #require(manifest.providers["acme"]?.check?.digest)
    let terms: Set = ["check of acme: address https://api.acme.example, \(digest)"]
    for host in ["api.acme.example", "eu.acme.example"] {
      #expect(manifest.surface[ExternalAccess(.host, host)] == terms)
    }
  }

  @Test("a built-in check can be made at another address, and a provider that no key names has no surface")
  func otherAddress() throws {
    let yaml = """
      version: 1
      providers: { openai: { address: "https://gate.example/openai" }, groq: { address: "https://gate.example/groq" } }
      keys: { a: { provider: openai } }
      """
    let manifest = try #require(reader.read(base: text(yaml)).manifest)
    let check = try #require(manifest.providers["openai"]?.check)
    #expect(check.digest == nil && check.hosts == [ExternalAccess(.host, "gate.example")])
    #expect(
      manifest.surface == [
        ExternalAccess(.host, "gate.example"): ["check of openai: address https://gate.example/openai"]
      ])
  }

  @Test("a built-in check that is a preview is a term of its permission, and a described check is none")
  func preview() throws {
    let previews = try BuiltInProviders.names.filter { try BuiltInProviders.api($0)?.isPreview == true }
    let name = try #require(previews.first)
    func terms(_ check: String) throws -> Set<String>? {
      let yaml = "version: 1\nproviders: { \(name): { address: 'https://gate.example'\(check) } }\n"
      let manifest = reader.read(base: text(yaml + "keys: { a: { provider: \(name) } }")).manifest
      return try #require(manifest).surface[ExternalAccess(.host, "gate.example")]
    }
    #expect(try terms("") == ["check of \(name): address https://gate.example", "the preview check of \(name)"])
    #expect(try terms(", check: \(Self.check)")?.count == 1)
  }

  @Test("what is wrong is reported where it is written, also for a provider that no key names")
  func faults() {
    func details(_ provider: String) -> [String] {
      let yaml = "version: 1\nproviders:\n  acme: \(provider)\n"
      return reader.read(base: text(yaml)).diagnostics.filter { $0.code.severity == .error }.map(\.detail)
    }
    #expect(details("{ variable: A, check: \(Self.check) }").first?.contains("address") == true)
    #expect(details("{ variable: A, address: 'https://a.example' }").first?.contains("no built-in check") == true)
    #expect(details("{ variable: A, address: 'http://a.example' }").count == 1)
    let query = "{ get: /me, query: { k: '{key}' }, outcomes: [{ status: 200, then: valid }] }"
    #expect(details("{ address: 'https://a.example', check: \(query) }").first?.contains("is a secret") == true)
    #expect(details("{ address: 'https://a.example', check: { get: /me, bearer: '{key}' } }").count >= 1)
    let open = "{ get: /me, auth: { bearer: '{key}' }, outcomes: [{ then: invalid }] }"
    #expect(details("{ address: 'https://a.example', check: \(open) }").first?.contains("every answer") == true)
    let secret = "{ get: '/{token}', auth: { bearer: '{key}' } }"
    #expect(details("{ address: 'https://a.example', check: \(secret) }").first?.contains("not a variable") == true)
  }
}
