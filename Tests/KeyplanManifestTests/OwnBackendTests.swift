import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

@Suite("A backend that the manifest describes") struct OwnBackendTests {
  private static let acme = """
    backends:
      acme:
        summary: Acme secrets
        connection: { address: { type: url, required: true }, token: { type: secret } }
        target: { project: { type: name, required: true } }
        names: { longest: 255 }
        base: "{address}/v1/{project}"
        auth: [{ bearer: "{token}" }]
        list: { get: /secrets, entries: { each: /items, name: /name, value: /value } }
        put: { put: "/secrets/{name}", json: { value: "{value}" } }
    connections:
      shop: { type: acme, address: "https://acme.example", token: env://ACME_TOKEN }
    keys:
      k: { provider: generic, variable: K, source: "shop://web#K" }
    targets:
      t: { type: acme, connection: shop, project: web, keys: { K: k } }

    """

  private func read(_ yaml: String) -> ManifestReader.Reading {
    reader.read(base: .init(file: "keyplan.yaml", bytes: Array(("version: 1\n" + yaml).utf8)))
  }

  private func terms(_ yaml: String) throws -> Set<String> {
    let reading = read(yaml)
    let manifest = try #require(reading.manifest, "\(reading.diagnostics)")
    return Set(try #require(manifest.connection(named: "shop")).surfaceTerms.values.flatMap { $0 })
  }

  @Test func `is the type of a connection and of targets, and the digest of its meaning is a term of their permission`()
    throws
  {
    let before = try terms(Self.acme)
    let digest = try #require(before.first { $0.hasPrefix("the backend acme sha256:") })
    #expect(before.count == 2)
    // Another layout means the same.
    let reordered = Self.acme.replacing("summary: Acme secrets", with: "'summary': \"Acme secrets\"  # what it is")
    #expect(try terms(reordered) == before)
    let other = try terms(Self.acme.replacing("json: { value:", with: "json: { text:"))
    #expect(!other.contains(digest) && other.count == 2)
  }

  @Test func `is reported with the place of each fault`() {
    let broken = Self.acme.replacing(#"base: "{address}/v1/{project}""#, with: #"base: "{address}/v1/{nothing}""#)
      .replacing("put: { put:", with: "put: { prut:")
    let found = read(broken).diagnostics.filter { $0.detail.hasPrefix(#""acme":"#) }
    #expect(found.map(\.place?.line).contains(8), "\(found)")
    #expect(found.contains { $0.detail.contains("prut") }, "\(found)")
    #expect(read(broken).diagnostics.count == found.count, "what uses it is not reported, too")
  }

  @Test func `can say which documents it comes from`() {
    let sourced = Self.acme.replacing(
      "summary: Acme secrets", with: "summary: Acme secrets\n    sources: { docs: \"docs.acme.example, 2026\" }"
    ).replacing("names: { longest: 255 }", with: "names: { longest: 255, source: docs }")
    #expect(read(sourced).manifest != nil && read(sourced).diagnostics.isEmpty, "\(read(sourced).diagnostics)")
    let unknown = read(sourced.replacing("source: docs }", with: "source: dosc }")).diagnostics
    #expect(unknown.contains { $0.detail.contains(#""dosc" is not declared in sources"#) }, "\(unknown)")
    #expect(unknown.map(\.place?.line).contains(8), "\(unknown)")
  }

  @Test func `cannot have a built-in name, and takes no credential from a variable of its choice`() {
    let taken = read(Self.acme.replacing("  acme:", with: "  gitlab:"))
    #expect(taken.diagnostics.contains { $0.detail.contains("is a built-in name") }, "\(taken.diagnostics)")
    let secret = "token: { type: secret, environment: [AWS_SECRET_ACCESS_KEY] }"
    let greedy = read(Self.acme.replacing("token: { type: secret }", with: secret))
    #expect(
      greedy.diagnostics.contains { $0.detail.contains("cannot name variables of the environment") },
      "\(greedy.diagnostics)")
  }
}
