import KeyplanCore
import Testing

@testable import KeyplanManifest

@Suite struct OverlayTests {
  private let base = """
    version: 1
    providers:
      acme: { variable: ACME_KEY }
    keys:
      a: { provider: openai, source: [env://A, env://B], model: gpt }
      b: { provider: acme, source: env://B }
    active: { one: a, two: b }
    targets:
      phones: { type: dotenv, path: phones.env, keys: { A: a } }
    """

  @Test("mappings merge, scalars and lists replace, null removes, and targets are not inherited") func merge() throws {
    let manifest = try #require(
      check(
        base,
        overlay: """
          keys:
            a: { source: env://STAGING, model: null }
            c: { provider: generic, model: null }
          active: { two: null }
          """
      ).manifest)
    #expect(manifest.environment == "staging")
    let a = try #require(Identifier<Key>("a").flatMap { manifest.keys[$0] })
    #expect(a.facts.sources == ["env://STAGING"])
    #expect(a.facts.model == nil)
    #expect(a.facts.provider == "openai")
    #expect(manifest.keys.count == 3)
    #expect(manifest.slots.keys.map(\.name) == ["one"])
    #expect(manifest.targets.isEmpty)
  }

  @Test("every part keeps the place in its own file") func places() {
    check(
      """
      version: 1
      keys:
        a: { provider: 1️⃣openia, source: env://A }
      """,
      overlay: """
        keys:
          a: { source: 2️⃣$X_Y }
        targets:
          t: { type: dotenv, path: a, keys: { X: 3️⃣c } }
        """,
      Fault(.undeclaredName), Fault(.invalidReference), Fault(.undeclaredName))
  }

  @Test("an overlay without content changes nothing but the targets") func empty() throws {
    let manifest = try #require(check(base, overlay: "# nothing yet\n").manifest)
    #expect(manifest.keys.count == 2)
    #expect(manifest.targets.isEmpty)
  }

  @Test("faults of both files are reported, broken YAML too") func broken() {
    check("version: 1\na: '1️⃣", overlay: "b: [x\n2️⃣", Fault(.yamlInvalid), Fault(.yamlInvalid))
  }
}
