import KeyplanHTTP
import KeyplanJSON
package import KeyplanModel
package import KeyplanSecrets

extension ConnectionContext {
  /// The OpenID Connect token of a field, issued or read again on each call: it lives for minutes. Nil if none is declared.
  /// - Throws: the reason that there is none.
  package func identityToken(_ name: String) async throws(AccessFailure) -> SecretBox? {
    guard case .githubToken(let audience)? = connection.values[name] else { return try await secret(name)?.trimmed }
    return try await GitHubIdentityToken(environment).token(for: audience)
  }
}

/// The tokens that GitHub Actions issues to a job
/// (docs.github.com/actions/reference/security/oidc, "Methods for requesting the OIDC token").
package struct GitHubIdentityToken: Sendable {
  private let environment: RemoteEnvironment

  package static let addressVariable = "ACTIONS_ID_TOKEN_REQUEST_URL"
  package static let tokenVariable = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"

  package init(_ environment: RemoteEnvironment) { self.environment = environment }

  package func token(for audience: String) async throws(AccessFailure) -> SecretBox {
    guard let address = environment.variable(Self.addressVariable),
      let credential = environment.variable(Self.tokenVariable)
    else { throw AccessFailure(.unauthenticated, Self.absent, hint: Self.permission) }
    let request: HTTPRequest
    do throws(HTTPError) {
      let separator = address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
      let query = PathSegment.encode(audience)
      var made = HTTPRequest(.get, try HTTPAddress("\(address)\(separator)audience=\(query)"))
      try made.authorize(bearer: SecretBox(Array(credential.utf8)))
      request = made
    } catch {
      throw AccessFailure(.unreadable, "\(Self.addressVariable) cannot be used: \(error).", hint: error.hint)
    }
    return try await token(request)
  }

  private func token(_ request: HTTPRequest) async throws(AccessFailure) -> SecretBox {
    let transport = environment.transport(environment.http)
    var budget = RetryBudget(attempts: 3)
    while true {
      let (result, isTimeout) = await Self.answer(to: request, transport)
      budget.countTransmission()
      if case .failure(let failure) = result, failure.kind == .unreachable, !isTimeout,
        let pause = budget.pause(asked: nil)
      {
        await transport.pause(pause)
        continue
      }
      return try result.get()
    }
  }

  private static func answer(
    to request: HTTPRequest, _ transport: RemoteTransport
  ) async -> (Result<SecretBox, AccessFailure>, isTimeout: Bool) {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await transport.send(request)
    } catch {
      let kind: AccessFailure.Kind = error.isUnreachable ? .unreachable : .unreadable
      return (
        .failure(AccessFailure(kind, "No identity token was issued: \(error).", hint: error.hint)), error.isTimeout
      )
    }
    guard (200..<300).contains(response.status) else {
      let isPassing = response.status == 429 || response.status >= 500
      let reason = "GitHub Actions did not issue an identity token (HTTP \(response.status))."
      return (.failure(AccessFailure(isPassing ? .unreachable : .unauthenticated, reason, hint: permission)), false)
    }
    guard let json = JSONAnswer(response.body), let token = json["value"].flatMap({ json.secret($0) }), token.count > 0
    else {
      return (
        .failure(AccessFailure(.unreadable, "GitHub Actions sent a response without an identity token.")), false
      )
    }
    return (.success(token), false)
  }

  private static let absent = "GitHub Actions issues no identity token to this job: \(addressVariable) is not set."
  private static let permission =
    "Run it in GitHub Actions, in a job with the permission to request one: permissions: { id-token: write }."
}

extension SecretBox {
  /// Without white space at both ends, which files and variables often have.
  package var trimmed: SecretBox {
    withBytes { bytes in
      let start = bytes.firstIndex { $0 > 0x20 } ?? bytes.endIndex
      let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start
      guard end - start < bytes.count else { return self }
      return SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
    }
  }
}
