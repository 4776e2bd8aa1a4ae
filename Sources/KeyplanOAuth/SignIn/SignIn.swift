import KeyplanHTTP
package import KeyplanSecrets

/// A user's sign-in with a browser (RFC 6749, section 4.1, with PKCE): the address to open, and the values with which
/// the response is verified.
package struct SignIn: Redacted, Sendable {
  /// The address to open in the browser. It contains nothing secret.
  package let address: String
  /// The redirect address.
  package let redirect: String
  /// Proves that the client that redeems the code has started the sign-in (RFC 7636).
  package let verifier: SecretBox
  let state: SecretBox
  let issuer: String?

  /// - Parameters:
  ///   - redirect: an address on this machine, such as `http://127.0.0.1:49152`; at Microsoft `http://localhost`.
  ///   - account: the expected account, so that the user need not select it.
  ///   - again: whether to request consent even if it was given before: Google then issues a new refresh token.
  package init(
    _ client: OAuthClient, scopes: [String], redirect: String, account: String? = nil, again: Bool = false
  ) {
    self.init(
      client, scopes: scopes, redirect: redirect, account: account, again: again, verifier: Base64URL.random(32),
      state: Base64URL.random(16))
  }

  init(
    _ client: OAuthClient, scopes: [String], redirect: String, account: String?, again: Bool, verifier: SecretBox,
    state: SecretBox
  ) {
    self.redirect = redirect
    self.verifier = verifier
    self.state = state
    issuer = client.service.issuer
    var query: [(name: String, value: HTTPValue)] = [
      ("client_id", .open(client.id)), ("redirect_uri", .open(redirect)), ("response_type", .open("code")),
      ("scope", .open(scopes.joined(separator: " "))), ("state", .secret(state)),
      ("code_challenge", .open(verifier.withBytes(challenge))), ("code_challenge_method", .open("S256")),
    ]
    for extra in client.service.extras { query.append((extra.name, .open(extra.value))) }
    if let account { query.append(("login_hint", .open(account))) }
    if again { query.append(("prompt", .open("consent"))) }
    let encoded = HTTPBody.form(query).bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    let start = client.service.authorization.text
    address = start + (start.contains("?") ? "&" : "?") + encoded
  }

  /// The token request for an authorization code.
  package func request(with code: SecretBox) -> TokenRequest {
    .code(code, redirect: redirect, verifier: verifier)
  }
}
