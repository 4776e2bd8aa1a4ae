import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

@Suite struct OrderAndLimitTests {
  @Test("the order of the entries never changes the manifest") func order() throws {
    let sections = [
      ["version: 1"],
      ["keys:", "  a: { provider: openai, source: env://A, labels: { x: y, z: w } }", "  b: { provider: anthropic }"],
      ["active:", "  s: [a, b]", "  r: b"],
      [
        "targets:", "  t: { type: dotenv, path: t, keys: { \"*\": active.s, X: b } }",
        "  u: { type: dotenv, path: u, keys: { Y: a } }",
      ],
      ["calendars:", "  h: { service: caldav, account: x, url: \"https://x.dev/\", password: env://P }"],
      ["policies:", "  q: { after: 90d }"],
    ]
    var texts: Set<String> = []
    for shift in sections.indices {
      let turned = sections.indices.map { sections[($0 + shift) % sections.count] }
      let yaml = turned.map { lines in
        ([lines[0]] + (shift % 2 == 0 ? Array(lines.dropFirst()) : lines.dropFirst().reversed())).joined(
          separator: "\n")
      }.joined(separator: "\n")
      texts.insert(summary(try #require(check(yaml).manifest)))
    }
    #expect(texts.count == 1)
  }

  /// All of a manifest but the places.
  private func summary(_ manifest: Manifest) -> String {
    let keys = manifest.keys.sorted { $0.key < $1.key }.map { name, key in
      "\(name) \(key.facts.provider) \(key.facts.variable ?? "") \(key.facts.sources) \(key.facts.labels.sorted { $0 < $1 })"
    }
    let slots = manifest.slots.sorted { $0.key < $1.key }.map { "\($0) \($1.candidates)" }
    let targets = manifest.targets.sorted { $0.key < $1.key }.map { "\($0) \($1.destination) \($1.entries)" }
    return "\(keys) \(slots) \(targets) \(manifest.unsupported.map { "\($0.address) \($0.what)" })"
  }

  @Test("hostile YAML gives a diagnostic with a place") func hostile() {
    let deep = "version: 1\nkeys: " + String(repeating: "[", count: 100_000)
    let bomb =
      "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
      + zip("bcdefghi", "abcdefgh").map { name, last in
        "\(name): &\(name) [" + Array(repeating: "*\(last)", count: 10).joined(separator: ", ") + "]\n"
      }.joined()
    for yaml in [deep, bomb, "version: 1\nkeys: {", "version: 1\n---\nversion: 1", "version: \u{1}", "version: *x"] {
      let reading = reader.read(base: text(yaml))
      #expect(reading.manifest == nil)
      #expect(reading.diagnostics.map(\.code) == [.yamlInvalid], "\(told(reading))")
      #expect(reading.diagnostics.first?.place != nil)
    }
    let bytes = ManifestReader.Text(file: "keyplan.yaml", bytes: [0x61, 0x3A, 0x20, 0xFF])
    #expect(reader.read(base: bytes).diagnostics.map(\.code) == [.yamlInvalid])
  }

  @Test("a fault under an anchor is said once, however often it is repeated") func anchors() {
    check(
      """
      version: 1
      keys:
        a: &a { provider: openai, 1️⃣sorce: x }
        b: *a
        c: *a
      """,
      Fault(.unknownField))
  }

  @Test("a manifest that is a list, a text or nothing is refused") func roots() {
    check("1️⃣- version: 1", Fault(.wrongType))
    check("1️⃣hello", Fault(.wrongType))
    check("1️⃣", Fault(.missingField))
    check("[1️⃣[a]: b]".replacing("[1️⃣", with: "{ ? 1️⃣").replacing("b]", with: "b, version: 1 }"), Fault(.wrongType))
  }

  @Test("yes, no, on and off are texts, and sections may be empty") func core() throws {
    let manifest = try #require(
      check("version: 1\nkeys: { no: { provider: generic, model: off } }\nactive:\ntargets:\npolicies: ~").manifest)
    #expect(manifest.keys.first?.key.name == "no")
    #expect(manifest.keys.first?.value.facts.model == "off")
  }
}
