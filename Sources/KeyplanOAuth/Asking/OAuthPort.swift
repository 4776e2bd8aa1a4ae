package import KeyplanHTTP
package import KeyplanSecrets

/// The one way out of this module.
package protocol OAuthPort: Sendable {
  /// Sends a request and gives the answer, whatever its status.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient: OAuthPort {}

extension OAuthClient {
  /// Asks for tokens, once. Whoever asks with a refresh token holds the account's lock from before it read that token until
  /// what it got is durable: with a service that rotates them, two at once end in no token at all.
  package func ask(_ request: TokenRequest, through port: some OAuthPort) async -> TokenOutcome {
    let form = request.form(for: self)
    switch await post(form, to: service.token, through: port, isRepeatable: request.isRepeatable) {
    case .success(let response): return TokenOutcome(response, to: request)
    case .failure(let error): return .unavailable(Unavailable(error))
    }
  }

  /// Begins a sign-in on another device.
  package func beginDevice(scopes: [String], through port: some OAuthPort) async -> DeviceOutcome {
    guard let address = service.device else { return .refused(Refusal(.setup, code: "no device endpoint")) }
    let scope = scopes.joined(separator: " ")
    // A client with a secret shows it here, too (RFC 8628, section 3.1).
    switch await post(credentials + [("scope", .open(scope))], to: address, through: port) {
    case .success(let response): return DeviceOutcome(response)
    case .failure(let error): return .unavailable(Unavailable(error))
    }
  }

  /// Gives a token back (RFC 7009). At Google this ends all that the account granted to the project.
  package func revoke(
    _ token: SecretBox, isRefresh: Bool, through port: some OAuthPort
  ) async -> RevocationOutcome {
    guard let address = service.revocation else { return .notOffered }
    let hint = isRefresh ? "refresh_token" : "access_token"
    let form = [("token", HTTPValue.secret(token)), ("token_type_hint", .open(hint))] + credentials
    switch await post(form, to: address, through: port) {
    case .success(let response): return RevocationOutcome(response)
    case .failure(let error): return .unavailable(Unavailable(error))
    }
  }

  private func post(
    _ form: [(name: String, value: HTTPValue)], to address: HTTPAddress, through port: some OAuthPort,
    isRepeatable: Bool = false
  ) async -> Result<HTTPResponse, HTTPError> {
    do throws(HTTPError) {
      var request = HTTPRequest(.post, address)
      request.isRepeatable = isRepeatable
      try request.add("Accept", .open("application/json"))
      try authorize(&request)
      request.body = .form(form)
      return .success(try await port.send(request))
    } catch {
      return .failure(error)
    }
  }
}
