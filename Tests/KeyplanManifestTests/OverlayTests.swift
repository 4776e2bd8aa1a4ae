import KeyplanModel
import KeyplanPlanning
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
    1️⃣targets:
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
          """,
        Fault(.targetNotInherited, "Target phones of keyplan.yaml is not in this environment")
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
    let manifest = try #require(check(base, overlay: "# nothing yet\n", Fault(.targetNotInherited)).manifest)
    #expect(manifest.keys.count == 2)
    #expect(manifest.targets.isEmpty)
  }

  private static let targets = """
    version: 1
    connections:
      bao: { type: vault, address: "https://vault.example" }
    keys:
      a: { provider: generic, source: env://A, variable: A }
      b: { provider: generic, source: env://B, variable: B }
    targets:
      app: { type: dotenv, path: app.env, mode: "0640", takeOver: true, keys: { A: a, B: b }, after: { command: ["true"] } }
      remote: { type: vault, connection: bao, path: secret/app, keys: { a: a } }
    """

  @Test("a target that an overlay names has everything of the manifest's but its place") func inherited() throws {
    let manifest = try #require(
      check(
        Self.targets,
        overlay: """
          targets:
            app: { path: staging.env, keys: { B: null } }
            remote: { connection: bao, path: secret/staging }
          """
      ).manifest)
    let app = try #require(Identifier<Target>("app").flatMap { manifest.targets[$0] })
    #expect(app.destination.location == "staging.env" && app.destination.type == "dotenv")
    #expect(app.entries.map { $0.name } == [.fixed("A")] && app.mode != nil && app.hook != nil)
    #expect(!app.takeOver, "that is about what is at the place")
    let remote = try #require(Identifier<Target>("remote").flatMap { manifest.targets[$0] })
    #expect(remote.destination.location.hasPrefix("secret/staging") && remote.entries.count == 1)
  }

  @Test("the place of a target is never inherited") func place() {
    check(
      Self.targets,
      overlay: """
        targets:
          app: 1️⃣{ mode: "0600" }
          remote: 2️⃣{ path: secret/staging }
        """,
      Fault(
        .missingField, "The field \"path\" is missing",
        hint: "An overlay inherits everything of a target but its place"),
      Fault(.missingField, "\"connection\" is missing"))
  }

  @Test("an overlay that sets targets to null does without them, and says so") func without() throws {
    for overlay in ["targets: null\n", "targets: { app: null, remote: null }\n"] {
      #expect(try #require(check(Self.targets, overlay: overlay).manifest).targets.isEmpty)
    }
    let one = check(
      Self.targets, overlay: "1️⃣targets: { app: null }\n",
      Fault(
        .targetNotInherited, "Target remote of keyplan.yaml is not in this environment",
        hint: "Name it in keyplan.staging.yaml"))
    #expect(one.manifest?.targets.isEmpty == true)
  }

  @Test("a target of another type inherits nothing") func otherType() throws {
    let manifest = try #require(
      check(
        Self.targets,
        overlay: """
          targets:
            app: { type: json, path: app.json, keys: { a: a } }
            remote: null
          """
      ).manifest)
    let app = try #require(Identifier<Target>("app").flatMap { manifest.targets[$0] })
    #expect(app.entries.count == 1 && app.mode == nil && app.hook == nil)
  }

  @Test("faults of both files are reported, broken YAML too") func broken() {
    check("version: 1\na: 1️⃣'", overlay: "b: [x\n2️⃣", Fault(.yamlInvalid), Fault(.yamlInvalid))
  }
}
