import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

@Suite struct RuleTests {
  private func rules(_ reading: ManifestReader.Reading) -> [Rule.Demand] { reading.manifest?.rules.map(\.demand) ?? [] }

  @Test("a rule's demands are read, each by itself, with the rule's place") func reads() throws {
    let reading = check(
      """
      version: 1
      connections: { bao: { type: vault, address: 'https://bao.dev' } }
      keys:
        main: { provider: openai, source: env://A }
      rules:
        all: { maxAge: 90d, allowSources: [env, vault, bao, store], forbidSources: [file], allowProviders: [openai] }
        some: { keys: [main], maxAge: 6w }
      """)
    let manifest = try #require(reading.manifest)
    #expect(
      rules(reading) == [
        .age(below: .days(90)), .sources(of: ["env", "vault", "bao", "store"]), .noSources(of: ["file"]),
        .provider(among: ["openai"]), .age(below: .days(42)),
      ])
    #expect(manifest.rules.map(\.name.name) == ["all", "all", "all", "all", "some"])
    #expect(manifest.rules.map { $0.keys?.map(\.name) } == [nil, nil, nil, nil, ["main"]])
    #expect(manifest.rules.first?.place?.description == "keyplan.yaml:6:3")
  }

  @Test("a rule is in force in its environments only, and an overlay can lift or change it") func environments() {
    let base = """
      version: 1
      rules:
        far: { environments: [production], forbidSources: [env] }
        near: { environments: [staging, production], forbidSources: [file] }
        all: { maxAge: 90d }
      """
    #expect(rules(check(base)) == [.age(below: .days(90))])
    #expect(rules(check(base, overlay: "keys:")) == [.noSources(of: ["file"]), .age(below: .days(90))])
    #expect(
      rules(check(base, overlay: "rules: { near: null, all: { maxAge: 30d } }")) == [.age(below: .days(30))])
  }

  @Test("what a rule cannot mean is said at its place, in every environment") func faults() {
    check(
      """
      version: 1
      keys: { main: { provider: openai, source: env://A } }
      rules:
        empty: 1️⃣{ keys: [main] }
        names: { environments: [other], keys: [2️⃣mian], allowProviders: [3️⃣opnai], maxAge: 1d }
        kinds: { forbidSources: [4️⃣evn], allowSources: 5️⃣[] }
        types: { maxAge: 6️⃣soon, environments: 7️⃣production, 8️⃣max: 1d }
        9️⃣A: { maxAge: 1d }
      """,
      Fault(.missingField, "demands nothing", hint: "maxAge, allowSources, forbidSources or allowProviders"),
      Fault(.undeclaredName, hint: "main"), Fault(.undeclaredName, hint: "openai"),
      Fault(.invalidValue, hint: "Did you mean \"env\"?"), Fault(.invalidValue, "empty"),
      Fault(.invalidValue, "duration"), Fault(.wrongType, "a list of names"), Fault(.unknownField, hint: "maxAge"),
      Fault(.invalidValue, "A rule's name"))
  }
}
