import FoundationEssentials
import KeyplanHTTP
import KeyplanSecrets

/// Sends requests to a service with one token, and decodes the JSON responses.
struct ServiceClient: Sendable {
  let token: SecretBox
  let port: any CalendarPort
  /// Converts an unexpected response to an error.
  let fault: @Sendable (HTTPResponse) -> CalendarError
  /// The pause that the service requests in the body or with another status than usual.
  let pause: @Sendable (HTTPResponse) -> Duration?

  /// Requests one page.
  func get<Answer: Decodable>(
    _ address: HTTPAddress, preferring preference: String? = nil, as answer: Answer.Type
  ) async throws(CalendarError) -> Answer {
    let response = try await response(to: address, preferring: preference)
    // Some services send 200 with an error in the body, and captive portals send 200 with a page of their own.
    guard response.status == 200, let read = response.json(answer) else { throw fault(response) }
    return read
  }

  private func response(
    to address: HTTPAddress, preferring preference: String?
  ) async throws(CalendarError) -> HTTPResponse {
    do throws(HTTPError) {
      var request = HTTPRequest(.get, address)
      try request.authorize(bearer: token)
      try request.add("Accept", .open("application/json"))
      if let preference { try request.add("Prefer", .open(preference)) }
      request.pauseAsked = pause
      return try await port.send(request)
    } catch {
      throw CalendarError(error)
    }
  }
}

extension HTTPResponse {
  /// The body decoded as JSON; nil if it has another form.
  func json<Answer: Decodable>(_ answer: Answer.Type) -> Answer? {
    try? JSONDecoder().decode(answer, from: body.withBytes { Data($0) })
  }
}
