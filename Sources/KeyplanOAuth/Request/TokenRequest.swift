import KeyplanHTTP
package import KeyplanSecrets

/// A request for tokens: a form sent to the token endpoint.
package enum TokenRequest: Redacted, Sendable {
  /// With the authorization code of a sign-in.
  case code(SecretBox, redirect: String, verifier: SecretBox)
  /// With a refresh token; `scopes` only if the service requires them again.
  case refresh(SecretBox, scopes: [String])
  /// With the code of a sign-in on another device.
  case device(SecretBox)
  /// With an assertion signed by the client (RFC 7523): a service account.
  case assertion(SecretBox)
  /// On behalf of the client itself.
  case clientCredentials(scopes: [String])

  func form(for client: OAuthClient) -> [(name: String, value: HTTPValue)] {
    var form: [(name: String, value: HTTPValue)] = [("grant_type", .open(grantType))]
    // A signed assertion identifies the client itself.
    if case .assertion = self {} else { form += client.credentials }
    switch self {
    case .code(let code, let redirect, let verifier):
      form.append(("code", .secret(code)))
      form.append(("redirect_uri", .open(redirect)))
      form.append(("code_verifier", .secret(verifier)))
    case .refresh(let token, let scopes):
      form.append(("refresh_token", .secret(token)))
      if !scopes.isEmpty { form.append(("scope", .open(scopes.joined(separator: " ")))) }
    case .device(let code): form.append(("device_code", .secret(code)))
    case .assertion(let assertion): form.append(("assertion", .secret(assertion)))
    case .clientCredentials(let scopes): form.append(("scope", .open(scopes.joined(separator: " "))))
    }
    return form
  }

  /// Whether the request may be sent twice. Using a refresh token or a code a second time may end the whole sign-in.
  var isRepeatable: Bool {
    switch self {
    case .assertion, .clientCredentials: true
    case .code, .refresh, .device: false
    }
  }

  private var grantType: String {
    switch self {
    case .code: "authorization_code"
    case .refresh: "refresh_token"
    case .device: "urn:ietf:params:oauth:grant-type:device_code"
    case .assertion: "urn:ietf:params:oauth:grant-type:jwt-bearer"
    case .clientCredentials: "client_credentials"
    }
  }
}

extension OAuthClient {
  /// The client's credentials in the form.
  var credentials: [(name: String, value: HTTPValue)] {
    switch (authentication, secret) {
    case (.basic, .some): []
    case (.form, let secret?): [("client_id", .open(id)), ("client_secret", .secret(secret))]
    case (_, nil): [("client_id", .open(id))]
    }
  }

  /// Adds the client's credentials to the header; both parts are encoded as in a form first.
  func authorize(_ request: inout HTTPRequest) throws(HTTPError) {
    guard case .basic = authentication, let secret else { return }
    let user = HTTPBody.encoded(.open(id)).withBytes { String(decoding: $0, as: UTF8.self) }
    try request.authorize(user: user, password: HTTPBody.encoded(.secret(secret)))
  }
}
