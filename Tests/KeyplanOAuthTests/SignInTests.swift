import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanOAuth

@Suite struct SignInTests {
  private func signIn(_ service: OAuthService, scopes: [String] = ["a b"], account: String? = nil) -> SignIn {
    // The verifier of RFC 7636, appendix B.
    SignIn(
      OAuthClient(id: "id&1", at: service), scopes: scopes, redirect: "http://127.0.0.1:49152/", account: account,
      again: false, verifier: SecretBox(text: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
      state: SecretBox(text: "st-1"))
  }

  @Test("the address to open has the challenge of RFC 7636 and what each service wants")
  func address() throws {
    let common =
      "client_id=id%261&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2F&response_type=code&scope=a+b&state=st-1"
      + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
    #expect(
      signIn(try .google(), account: "me@x.example").address
        == "https://accounts.google.com/o/oauth2/v2/auth?\(common)&access_type=offline&login_hint=me%40x.example")
    #expect(
      signIn(try .microsoft(tenant: "common")).address
        == "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?\(common)&response_mode=query")
    let own = OAuthService(
      authorization: try HTTPAddress("https://own.example/auth?tenant=1"), token: try HTTPAddress("https://own.example")
    )
    #expect(signIn(own).address == "https://own.example/auth?tenant=1&\(common)")
  }

  @Test("verifier and state are long, random and of the right letters")
  func random() throws {
    let client = OAuthClient(id: "id", at: try .google())
    let made = (0..<50).map { _ in SignIn(client, scopes: [], redirect: "http://localhost") }
    #expect(Set(made.map { $0.verifier.text }).count == 50)
    #expect(Set(made.map { $0.state.text }).count == 50)
    for one in made {
      #expect(one.verifier.text.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
      #expect(one.state.text.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil)
      #expect(!one.address.contains(one.verifier.text))
    }
  }

  @Test(
    "Base64 for URLs is that of RFC 4648",
    arguments: [
      ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"), ([0xFB, 0xFF], "-_8"),
    ] as [([UInt8], String)])
  func base64(bytes: [UInt8], text: String) { #expect(Base64URL.text(of: bytes) == text) }

  private func short(_ answer: SignInAnswer) -> String {
    switch answer {
    case .code(let code): "code \(code.text)"
    case .refused(let refusal): refusal.short
    case .foreign: "foreign"
    case .none: "none"
    }
  }

  @Test(
    "the answer is found however it was pasted",
    arguments: [
      ("http://127.0.0.1:49152/?state=st-1&code=4%2F0Ab_c&scope=x", "code 4/0Ab_c"),
      ("  \"http://127.0.0.1:49152/?code=4/0Ab\n  _c&state=st-1\" \n", "code 4/0Ab_c"),
      ("<http://localhost/?code=c&state=st-1>", "code c"), ("?code=c&state=st-1", "code c"),
      ("code=c&state=st-1", "code c"), ("http://localhost/#code=c&state=st-1", "code c"),
      ("http://localhost/?code=c&state=st-1&iss=https%3A%2F%2Faccounts.google.com", "code c"),
      ("http://localhost/?code=c&state=st-1&iss=https%3A%2F%2Fevil.example", "foreign"),
      ("http://localhost/?code=c&state=other", "foreign"), ("http://localhost/?code=c", "foreign"),
      ("http://localhost/?code=c&state=", "foreign"), ("http://localhost/?code=c&state=st-1x", "foreign"),
      ("http://localhost/?code=c&code=d&state=st-1", "none"), ("http://localhost/?code=&state=st-1", "none"),
      ("http://localhost/?code=%zz&state=st-1", "none"), ("http://localhost/?code=%ff&state=st-1", "none"),
      ("http://localhost/", "none"), ("", "none"), ("4/0Ab_c", "none"),
      ("http://localhost/?error=access_denied&state=st-1", "denied access_denied"),
      ("http://localhost/?error=access_denied", "foreign"),
      ("http://localhost/?error=admin_policy_enforced&state=st-1", "forbidden admin_policy_enforced"),
      ("http://localhost/?error=%3Cscript%3E&state=st-1", "other unknown"),
      (
        "http://localhost/?error=consent_required&error_description=AADSTS65001&state=st-1",
        "needsConsent consent_required"
      ),
    ])
  func pasted(text: String, outcome: String) throws {
    #expect(short(signIn(try .google()).answer(in: text)) == outcome)
  }

  @Test("the code is redeemed with what the sign-in began with")
  func redeeming() async throws {
    let client = OAuthClient(id: "id", secret: SecretBox(text: "s/c"), at: try .google())
    let port = ScriptedPort(HTTPResponse(200, #"{"access_token":"a"}"#))
    let signIn = signIn(try .google())
    let outcome = await client.ask(signIn.request(with: SecretBox(text: "4/0")), through: port)
    #expect(outcome.short == "granted")
    #expect(
      port.form == "grant_type=authorization_code&client_id=id&client_secret=s%2Fc&code=4%2F0"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2F&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    let sent = try #require(port.sent.first)
    #expect("\(sent)" == "POST https://oauth2.googleapis.com/token")
    #expect(!sent.isRepeatable)
  }
}
