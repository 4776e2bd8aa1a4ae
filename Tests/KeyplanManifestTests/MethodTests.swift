import KeyplanLocal
import KeyplanModel
import KeyplanProviders
import Testing

@testable import KeyplanManifest

@Suite("A method is named alone, or with its own fields")
struct MethodTests {
  private static let depot = BackendDescription(
    "depot", title: "Depot",
    connection: ConnectionGrammar([
      BackendField("address", .url, isRequired: true),
      BackendField(
        "auth",
        .method([
          BackendMethod("token", [BackendField("token", .secret)]),
          BackendMethod(
            "jwt",
            [
              BackendField("role", .name, isRequired: true), BackendField("mount", .path, default: "jwt"),
              BackendField("token", .identityToken, isRequired: true),
            ]),
        ])),
    ]),
    reference: ReferenceGrammar(.place(what: "a place"), example: "depot://place", isLocal: false))

  private func read(_ auth: String) -> ManifestReader.Reading {
    let reader = ManifestReader(
      catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
      secretPrefixes: [:], backends: LocalBackends.descriptions + [Self.depot])
    let yaml = """
      version: 1
      connections:
        shop: { type: depot, address: "https://depot.example", auth: \(auth) }
      keys:
        k: { provider: generic, variable: K, source: shop://a }
      """
    return reader.read(base: .init(file: "keyplan.yaml", bytes: Array(yaml.utf8)))
  }

  private func connection(_ auth: String) throws -> Connection {
    let reading = read(auth)
    let manifest = try #require(reading.manifest, "\(reading.diagnostics.map(\.detail))")
    return try #require(manifest.connection(named: "shop"))
  }

  private func faults(_ auth: String) -> [String] {
    read(auth).diagnostics.map { [$0.detail, $0.hint].compactMap(\.self).joined(separator: " | ") }
  }

  @Test func `its fields and their defaults have the method's name before theirs`() throws {
    let connection = try connection("{ jwt: { role: ci, token: { github: \"https://depot.example\" } } }")
    #expect(connection.values["auth"] == .text("jwt"))
    #expect(connection.values["auth.jwt.role"] == .text("ci"))
    #expect(connection.values["auth.jwt.mount"] == .text("jwt"))
    #expect(connection.values["auth.jwt.token"] == .githubToken(audience: "https://depot.example"))
    #expect(connection.values["auth.token.token"] == nil)
    #expect(connection.declared == ["address", "auth", "auth.jwt.role", "auth.jwt.token"])
  }

  @Test func `the permission has every field of the method as a term, also the audience of a token`() throws {
    let terms = try connection("{ jwt: { role: ci, token: { github: aud } } }").surfaceTerms.values.flatMap { $0 }
    #expect(
      terms == ["connection shop: address https://depot.example, auth jwt, auth.jwt.role ci, auth.jwt.token github aud"]
    )
  }

  @Test func `the name alone is enough for a method without required fields`() throws {
    #expect(try connection("token").values["auth"] == .text("token"))
    #expect(faults("jwt") == [#""jwt" needs further fields. | Write auth: { jwt: { role: …, token: … } }."#])
  }

  @Test func `a token of a CI job is found in GitLab's variable, in a file or at a reference`() throws {
    func token(_ written: String) throws -> Connection.Value? {
      try connection("{ jwt: { role: ci, token: \(written) } }").values["auth.jwt.token"]
    }
    #expect(try token("{ gitlab: VAULT_TOKEN }")?.reference?.description == "env://VAULT_TOKEN")
    #expect(try token("{ file: /run/token }")?.reference?.location == "/run/token")
    #expect(try token("env://T")?.reference?.description == "env://T")
    #expect(try connection("{ jwt: { role: ci, token: { file: /run/token } } }").surfaceTerms.count == 2)
  }

  @Test func `what is no method is reported with the methods there are`() {
    #expect(
      faults("{ password: {} }") == [#""password" is not a field of "auth". | The fields of "auth" are token, jwt."#])
    #expect(
      faults("{ token: { token: env://T }, jwt: { role: a, token: env://T } }")
        == [#""auth" must have exactly one of these: token, jwt."#])
    #expect(faults("{ jwt: { token: env://T } }") == [#"The field "role" is missing."#])
    #expect(faults("{ jwt: { role: a, token: { github: a, file: b } } }").count == 1)
    #expect(faults("{ jwt: { role: a, token: { gitlab: KEYPLAN_IDENTITY } } }").count == 1)
  }
}
