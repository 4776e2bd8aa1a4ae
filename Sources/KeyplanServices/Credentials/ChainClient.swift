package import KeyplanHTTP
package import KeyplanJSON
import KeyplanModel
import KeyplanPorts
package import KeyplanSecrets

/// Sends the requests with which a chain obtains a token.
package struct ChainClient: Sendable {
  package let context: ConnectionContext
  private let client: ServiceClient

  package init(_ context: ConnectionContext) {
    self.context = context
    client = ServiceClient(
      context.environment.transport(context.environment.http), pace: context.backend.pace ?? Pace())
  }

  package var now: Int64 { client.transport.now() }

  /// An address of the connection, without a slash at its end.
  package func address(_ field: String) throws(RemoteFailure) -> String {
    let text = context.text(field) ?? ""
    let whole = text.contains("://") ? text : "https://\(text)"
    guard (try? HTTPAddress(whole)) != nil else {
      throw RemoteFailure(.unreadable, RemoteMessages.invalidField(field, must: "an https:// address"))
    }
    return whole.hasSuffix("/") ? String(whole.dropLast()) : whole
  }

  /// The JSON of a successful answer. Temporary failures are repeated.
  /// - Parameter rejected: the reason to report if the service refuses to issue a token.
  package func json(
    _ request: HTTPRequest, rejected: String, hint: String? = nil
  ) async throws(RemoteFailure) -> JSONAnswer {
    let host = request.address.host
    let answer = await client.send(request, at: host) { response, _ in
      (400...404).contains(response.status) ? .init(.unauthenticated, say: rejected, hint: hint) : nil
    }
    guard answer.meaning == .ok, let json = answer.json else {
      throw client.failure(answer, hint: answer.hint)
    }
    return json
  }

  /// Posts a form and returns the text at a name of the answer.
  package func token(
    _ name: String, at address: String, _ body: HTTPBody, _ headers: [(name: String, value: HTTPValue)] = [],
    rejected: String, hint: String? = nil
  ) async throws(RemoteFailure) -> SecretBox {
    var request = try self.request(.post, address, headers)
    request.body = body
    // Nothing lasts of it but a token.
    request.isRepeatable = true
    let json = try await json(request, rejected: rejected, hint: hint)
    guard let token = json.secret(name), token.count > 0 else {
      throw RemoteFailure(.unreadable, RemoteMessages.tokenMissing)
    }
    return token
  }

  package func request(
    _ method: HTTPRequest.Method, _ address: String, _ headers: [(name: String, value: HTTPValue)] = []
  ) throws(RemoteFailure) -> HTTPRequest {
    do throws(HTTPError) {
      return try made(method, try HTTPAddress(address), headers)
    } catch {
      throw RemoteFailure(.unauthenticated, "\(error).", hint: error.hint)
    }
  }

  /// A request to a metadata service.
  /// - Parameter address: with `http` to one of the clouds' link-local hosts, or any other address that keyplan permits.
  package func metadata(
    _ address: String, _ headers: [(name: String, value: HTTPValue)], invalid: String
  ) throws(RemoteFailure) -> HTTPRequest {
    guard
      let parsed = (try? HTTPAddress(metadata: address)) ?? (try? HTTPAddress(linkLocal: address))
        ?? (try? HTTPAddress(address)),
      let request = try? made(.get, parsed, headers)
    else { throw RemoteFailure(.unauthenticated, invalid) }
    return request
  }

  private func made(
    _ method: HTTPRequest.Method, _ address: HTTPAddress, _ headers: [(name: String, value: HTTPValue)]
  ) throws(HTTPError) -> HTTPRequest {
    var request = HTTPRequest(method, address)
    for (name, value) in headers { try request.add(name, value) }
    return request
  }

  /// The answer of a service that may not exist on this machine; nil if nothing answers within the time.
  package func probe(_ request: HTTPRequest, within deadline: Duration, tries: Int) async throws(RemoteFailure)
    -> HTTPResponse?
  {
    var settings = context.environment.http
    settings.deadline = deadline
    let transport = context.environment.transport(settings)
    var response: HTTPResponse?
    for attempt in 0..<tries where response.map({ $0.status >= 500 }) ?? true {
      if attempt > 0 { await transport.pause(.milliseconds(200)) }
      do throws(HTTPError) {
        response = try await transport.send(request)
      } catch {
        guard error.isUnreachable else { throw RemoteFailure(.unreadable, "\(error).") }
        response = nil
      }
    }
    return response
  }
}
