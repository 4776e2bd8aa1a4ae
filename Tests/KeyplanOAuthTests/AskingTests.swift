import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanOAuth

@Suite struct AskingTests {
  @Test("what is refreshed, and in whose name, is in the form")
  func forms() async throws {
    let client = OAuthClient(id: "id", at: try .microsoft(tenant: "consumers"))
    for (request, form) in [
      (
        TokenRequest.refresh(SecretBox(text: "1//0g"), scopes: []),
        "grant_type=refresh_token&client_id=id&refresh_token=1%2F%2F0g"
      ),
      (
        .refresh(SecretBox(text: "R"), scopes: ["a", "b"]),
        "grant_type=refresh_token&client_id=id&refresh_token=R&scope=a+b"
      ),
      (
        .clientCredentials(scopes: ["https://graph.microsoft.com/.default"]),
        "grant_type=client_credentials&client_id=id&scope=https%3A%2F%2Fgraph.microsoft.com%2F.default"
      ),
      (
        .assertion(SecretBox(text: "h.c.s")),
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=h.c.s"
      ),
    ] {
      let port = ScriptedPort(HTTPResponse(200, #"{"access_token":"a"}"#))
      _ = await client.ask(request, through: port)
      #expect(port.form == form)
      #expect(port.sent.map(\.address.text) == ["https://login.microsoftonline.com/consumers/oauth2/v2.0/token"])
    }
  }

  @Test("a client's id and secret stand in the header instead, encoded, where the service wants that")
  func basic() async throws {
    let client = OAuthClient(id: "i:d", secret: SecretBox(text: "s c/%"), at: try .google(), by: .basic)
    let port = ScriptedPort(HTTPResponse(200, #"{"access_token":"a"}"#))
    _ = await client.ask(.clientCredentials(scopes: ["s"]), through: port)
    #expect(port.form == "grant_type=client_credentials&scope=s")
    guard case .secret(let sent, "Basic ")? = port.sent.first?.headers.last?.value else {
      Issue.record("no credentials")
      return
    }
    // i%3Ad:s+c%2F%25
    #expect(sent.text == "aSUzQWQ6cytjJTJGJTI1")
    let open = OAuthClient(id: "id", at: try .google(), by: .basic)
    _ = await open.ask(.anyRefresh, through: port)
    #expect(port.form == "grant_type=refresh_token&client_id=id&refresh_token=R1")
  }

  @Test("what cannot be asked is unavailable, never refused")
  func unreachable() async throws {
    let client = OAuthClient(id: "id", at: try .google())
    let error = try #require(throws: HTTPError.self) { try HTTPAddress("http://x") }
    let outcome = await client.ask(.anyRefresh, through: ScriptedPort([.failure(error)]))
    #expect(outcome.short == "unreachable")
    let revoked = await client.revoke(
      SecretBox(text: "R"), isRefresh: true, through: ScriptedPort([.failure(error)]))
    #expect(revoked == .unavailable(Unavailable(error)))
  }

  @Test("a tenant that is no part of an address is refused")
  func tenant() {
    #expect(throws: HTTPError.self) { try OAuthService.microsoft(tenant: "a b") }
  }

  @Test(
    "a token that is given back is gone, also when it was gone before",
    arguments: [
      (200, "", .done), (200, "{}", .done), (200, "<html>", .done), (204, "", .done),
      (400, #"{"error":"invalid_token","error_description":"Token expired or revoked"}"#, .done),
      (400, #"{"error":"invalid_grant"}"#, .done), (400, #"{"error":"unsupported_token_type"}"#, .notOffered),
      (401, #"{"error":"invalid_client"}"#, .refused(Refusal(.client, code: "invalid_client"))),
      (401, "", .unavailable(Unavailable(.notAnAnswer(status: 401)))),
      (400, #"{"error":"invalid_request"}"#, .refused(Refusal(.other, code: "invalid_request"))),
      (503, "", .unavailable(Unavailable(.busy(status: 503)))),
      (404, "<html>", .unavailable(Unavailable(.notAnAnswer(status: 404)))),
    ] as [(Int, String, RevocationOutcome)])
  func revoked(status: Int, body: String, outcome: RevocationOutcome) async throws {
    let client = OAuthClient(id: "id", secret: SecretBox(text: "s"), at: try .google())
    let port = ScriptedPort(HTTPResponse(status, body))
    #expect(await client.revoke(SecretBox(text: "1//0"), isRefresh: true, through: port) == outcome)
    #expect(port.form == "token=1%2F%2F0&token_type_hint=refresh_token&client_id=id&client_secret=s")
  }

  @Test("a service that takes nothing back is not asked")
  func notOffered() async throws {
    let port = ScriptedPort([])
    let client = OAuthClient(id: "id", at: try .microsoft(tenant: "common"))
    #expect(await client.revoke(SecretBox(text: "R"), isRefresh: true, through: port) == .notOffered)
    #expect(port.sent.isEmpty)
  }
}
