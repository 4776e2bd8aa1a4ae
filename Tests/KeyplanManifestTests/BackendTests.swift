import KeyplanLocal
import KeyplanModel
import KeyplanProviders
import Testing

@testable import KeyplanManifest

/// A backend that nothing but its description knows of.
@Suite("A backend is read by its description")
struct BackendTests {
  private static func acme() throws -> BackendDescription {
    BackendDescription(
      "acme", title: "Acme", connection: ConnectionGrammar(hosts: ["api.acme.example"], isOptional: true),
      reference: ReferenceGrammar(
        .place(what: "a project and an environment", pattern: try FormatPattern("[a-z]{1,9}/[a-z]{1,9}")),
        selector: .field, example: "acme://shop/live#KEY", isLocal: false),
      target: TargetGrammar(
        fields: [.init("project", isRequired: true), .init("stage", .choice(["live", "test"]))],
        names: NameRule(.variable, reserved: ["ACME_"], longest: 12, foldsCase: true), limits: .init(names: 2),
        readsBack: .marks, takesEffect: .nextDeploy))
  }

  private func read(_ yaml: String) throws -> ManifestReader.Reading {
    let reader = ManifestReader(
      catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
      secretPrefixes: SecretPrefixes.builtIn, backends: LocalBackends.descriptions + [try Self.acme()])
    return reader.read(base: text("version: 1\n" + yaml))
  }

  private func faults(_ yaml: String) throws -> [String] {
    try read(yaml).diagnostics.map { [$0.detail, $0.hint].compactMap(\.self).joined(separator: " | ") }
  }

  @Test("references to it are read, and its host is surface")
  func reference() throws {
    let manifest = try #require(
      try read("keys: { a: { provider: openai, source: 'acme://shop/live#KEY' } }").manifest)
    let source = try #require(manifest.keys.values.first?.sources.first)
    #expect(source.description == "acme://shop/live#KEY" && !source.isFile && !source.isLocal)
    #expect(source.surface == ExternalAccess(.host, "api.acme.example"))
  }

  @Test(
    "references are held to its grammar",
    arguments: [
      (
        source: "acme://shop",
        told: "acme:// expects a project and an environment. | For example, acme://shop/live#KEY."
      ),
      (
        source: "acm://shop/live",
        told: "This is not a valid reference. | Write acme://…, if you mean acme."
      ),
      (
        source: "acme://shop/live#",
        told: "acme:// expects the name of a field after #. | For example, acme://shop/live#KEY."
      ),
    ])
  func grammar(source: String, told: String) throws {
    #expect(try faults("keys: { a: { provider: openai, source: '\(source)' } }") == [told])
  }

  @Test("a target's place is made of its fields, and a place has one target")
  func target() throws {
    let keys = "keys: { a: { provider: openai } }\n"
    let manifest = try #require(
      try read(
        keys + """
          targets:
            t: { type: acme, project: shop, stage: live, keys: { A: a } }
            u: { type: acme, project: "the shop", keys: { A: a } }
          """
      ).manifest)
    let places = manifest.targets.sorted { $0.key < $1.key }.map(\.value.destination)
    #expect(places.map(\.location) == ["shop, stage live", "\"the shop\""])
    #expect(places.allSatisfy { $0.type == "acme" && $0.surface == ExternalAccess(.host, "api.acme.example") })
    #expect(
      try faults(
        keys + """
          targets:
            t: { type: acme, project: shop, keys: { A: a } }
            u: { type: acme, project: shop, keys: { B: a } }
          """
      ) == ["Target \"t\" has the same destination. A destination can have only one target."])
  }

  @Test("a target's fields, words and names are held to the description")
  func targetFaults() throws {
    let keys =
      "providers: { acme: { variable: ACME_X } }\nkeys: { a: { provider: openai }, b: { provider: acme } }\n"
    func told(_ target: String) throws -> [String] { try faults(keys + "targets: { t: { \(target) } }") }
    #expect(
      try told("type: acme, keys: { A: a }") == ["The field \"project\" is missing."])
    #expect(try told("type: acmee, project: x, keys: {}").first?.contains("Did you mean \"acme\"?") == true)
    #expect(
      try told("type: acme, project: x, path: y, keys: {}").first?.contains(
        "\"path\" is not a field of an acme target.")
        == true)
    #expect(
      try told("type: acme, project: x, stage: lve, keys: {}") == [
        "\"stage\" must be live or test. | Did you mean \"live\"?"
      ])
    #expect(
      try told("type: acme, project: x, keys: { acme_a: a }") == ["Names that begin with ACME_ are reserved for acme."])
    let all = try told("type: acme, project: x, keys: { '*': b }")
    #expect(all == ["Names that begin with ACME_ are reserved for acme."], "\(all)")
    #expect(
      try told("type: acme, project: x, keys: { ABCDEFGHIJKLM: a }") == [
        "A name at an acme target can have at most 12 characters."
      ])
    #expect(
      try told("type: acme, project: x, keys: { A: a, a: a }").first?.contains("is also written by the entry") == true)
    #expect(
      try told("type: acme, project: x, keys: { A: a, B: a, C: a }") == [
        "acme: a target can have at most 2 names; this one has 3. | Split it into several targets."
      ])
  }

  @Test("its fields are put in order, and its references are known at every place")
  func canonical() throws {
    let backends = Backends([try Self.acme()], ManifestReader.Services())
    #expect(backends.anyTarget.prefix(3) == ["type", "connection", "project"])
    #expect(backends.anyTarget.contains("stage") && backends.sources.contains("acme"))
  }
}
