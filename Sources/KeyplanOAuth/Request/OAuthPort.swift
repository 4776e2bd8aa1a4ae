package import KeyplanHTTP
package import KeyplanSecrets

/// Sends the requests of this module.
package protocol OAuthPort: Sendable {
  /// Sends a request and returns the response, whatever its status.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient: OAuthPort {}

extension OAuthClient {
  /// Sends a token request, once. With a refresh token, the caller must hold the account's lock from before it reads
  /// that token until the result is stored durably: if the service rotates tokens, two simultaneous refreshes
  /// invalidate both.
  package func ask(_ request: TokenRequest, through port: some OAuthPort) async -> TokenOutcome {
    let form = request.form(for: self)
    switch await post(form, to: service.token, through: port, isRepeatable: request.isRepeatable) {
    case .success(let response): return TokenOutcome(response, to: request)
    case .failure(let error): return .unavailable(Unavailable(error))
    }
  }

  /// Starts a sign-in on another device.
  package func beginDevice(scopes: [String], through port: some OAuthPort) async -> DeviceOutcome {
    guard let address = service.device else { return .refused(Refusal(.setup, code: "no device endpoint")) }
    let scope = scopes.joined(separator: " ")
    // A client with a secret must authenticate here as well (RFC 8628, section 3.1).
    switch await post(credentials + [("scope", .open(scope))], to: address, through: port) {
    case .success(let response): return DeviceOutcome(response)
    case .failure(let error): return .unavailable(Unavailable(error))
    }
  }

  /// Revokes a token (RFC 7009). At Google this revokes all access that the account granted to the project.
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
