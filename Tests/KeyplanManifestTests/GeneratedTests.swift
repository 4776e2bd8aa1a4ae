import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

/// Keys whose values keyplan generates.
@Suite struct GeneratedTests {
  private func key(_ source: String, _ more: String = "") throws -> Key {
    let reading = check("version: 1\nkeys:\n  a: { provider: generic, source: \(source)\(more) }\n")
    return try #require(Identifier<Key>("a").flatMap { reading.manifest?.keys[$0] })
  }

  @Test(
    "each form is read, and recorded by its canonical text",
    arguments: [
      ("{ generate: hex }", GeneratedValue(.hex), "generate: hex, 32 bytes"),
      ("{ generate: base64url }", GeneratedValue(.base64url), "generate: base64url, 32 bytes"),
      ("{ generate: uuid }", GeneratedValue(.uuid), "generate: uuid"),
      ("{ generate: {} }", GeneratedValue(.hex), "generate: hex, 32 bytes"),
      ("{ generate: { bytes: 16 } }", GeneratedValue(.hex, bytes: 16), "generate: hex, 16 bytes"),
      (
        "{ generate: { format: base64url, bytes: 1024 } }", GeneratedValue(.base64url, bytes: 1024),
        "generate: base64url, 1024 bytes"
      ),
      ("{ generate: { format: uuid } }", GeneratedValue(.uuid), "generate: uuid"),
    ])
  func forms(source: String, value: GeneratedValue?, text: String) throws {
    let key = try key(source)
    #expect(key.generated == value && value != nil)
    #expect(key.sources.isEmpty)
    #expect(key.facts.sources == [text])
  }

  @Test("a rotated key is not warned about before its end, unless that is asked for") func rotation() throws {
    let quiet = try key("{ generate: hex }", ", expires: { after: 90d, then: rotate }")
    #expect(quiet.facts.expiry == Expiry(.after(.days(90)), warn: Interval(seconds: 0), then: .rotate))
    let warned = try key("{ generate: hex }", ", expires: { after: 90d, warn: 7d, then: rotate }")
    #expect(warned.facts.expiry?.warn == .days(7))
  }

  @Test("what cannot be generated is said at its place") func faults() {
    check(
      """
      version: 1
      keys:
        a: { provider: generic, source: { generate: 1️⃣base32 } }
        b: { provider: generic, source: { generate: { bytes: 2️⃣15 } } }
        c: { provider: generic, source: { generate: { bytes: 3️⃣1025 } } }
        d: { provider: generic, source: { generate: { bytes: 4️⃣"32" } } }
        e: { provider: generic, source: { generate: { format: uuid, bytes: 5️⃣16 } } }
        f: { provider: generic, source: { generate: hex, 6️⃣command: [op] } }
        g: { provider: generic, source: { generate: { 7️⃣length: 9 } } }
        h: { provider: generic, source: [env://A, 8️⃣{ generate: hex }] }
      """,
      Fault(.invalidValue, "\"generate\" must be hex, base64url or uuid"),
      Fault(.invalidValue, "\"bytes\" must be between 16 and 1024"),
      Fault(.invalidValue, "\"bytes\" must be between 16 and 1024"),
      Fault(.wrongType, "\"bytes\" must be a whole number"),
      Fault(.conflict, "A UUID has a fixed length", hint: "Leave out \"bytes\""),
      Fault(.unknownField, "\"command\" is not a field of a generated value"),
      Fault(.unknownField, "\"length\" is not a field of generate"),
      Fault(.conflict, "\"generate\" cannot be combined with other sources"))
  }

  @Test("only a generated value can be rotated, and only after an interval: said where the policy, or its use, is")
  func rotationFaults() {
    check(
      """
      version: 1
      policies:
        turned: { after: 90d, then: rotate }
        fixed: { on: 2027-03-01, then: 1️⃣rotate }
      keys:
        a: { provider: generic, source: { generate: hex }, expires: turned }
        b: { provider: generic, source: env://B, expires: { after: 90d, then: 2️⃣rotate } }
        c: { provider: generic, expires: 3️⃣turned }
        d: { provider: generic, source: { generate: hex }, expires: { after: 9d, then: rotate }, issued: 4️⃣2026-10-01 }
      calendars:
        cal: { service: google, account: a@example.com, client: { id: "1", secret: env://S }, expires: { after: 90d, then: 5️⃣rotate } }
      """,
      Fault(.conflict, "\"then: rotate\" needs \"after\"", hint: "{ after: 90d, then: rotate }"),
      Fault(.conflict, "needs a value that keyplan generates", hint: "then: warn or then: retire"),
      Fault(.conflict, "needs a value that keyplan generates", hint: "source: { generate: hex }"),
      Fault(.conflict, "\"issued\" does not apply to a generated value", hint: "Leave out \"issued\""),
      Fault(.conflict, "needs a value that keyplan generates"))
  }

  @Test("a generated value is not a key of a provider that has a format: a warning") func provider() throws {
    let reading = reader.read(
      base: text("version: 1\nkeys:\n  a: { provider: openai, source: { generate: hex } }\n"))
    let found = try #require(reading.diagnostics.first { $0.code == .questionable })
    #expect(found.place?.description == "keyplan.yaml:3:34")
    #expect(reading.manifest != nil)
  }

  @Test("rules name its kind, and it adopts nothing") func rules() {
    let reading = check(
      """
      version: 1
      keys:
        a: { provider: generic, source: { generate: hex } }
      rules:
        own: { allowSources: [generate], forbidSources: [store] }
      """)
    #expect(reading.manifest?.brokenRules == [])
    let forbidden = check(
      """
      version: 1
      keys:
        a: { provider: generic, source: { generate: hex } }
      rules:
        own: { forbidSources: [generate] }
      """)
    #expect(forbidden.manifest?.brokenRules.count == 1)
    check(
      """
      version: 1
      keys:
        a: { provider: generic, source: { generate: hex } }
      migrations:
        - { adopt: env://OLD, to: 1️⃣a, original: keep }
      """, Fault(.conflict, "\"a\" has a source, so it cannot adopt a value"))
  }

  @Test("an overlay replaces a reference by it, and the other way round") func overlay() throws {
    let base = "version: 1\nkeys:\n  a: { provider: generic, source: { generate: hex } }\n"
    let lower = check(base, overlay: "keys: { a: { source: env://A } }")
    #expect(lower.manifest?.keys.values.first?.generated == nil)
    let other = base.replacing("{ generate: hex }", with: "env://A")
    let upper = check(other, overlay: "keys: { a: { source: { generate: uuid } } }")
    #expect(upper.manifest?.keys.values.first?.generated == GeneratedValue(.uuid))
  }
}
