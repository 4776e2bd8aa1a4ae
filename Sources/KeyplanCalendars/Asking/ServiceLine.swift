import FoundationEssentials
import KeyplanHTTP
import KeyplanSecrets

/// Asks one service with one token, and reads what it says as JSON.
struct ServiceLine: Sendable {
  let token: SecretBox
  let port: any CalendarPort
  /// What an answer that is none of what was asked for means.
  let fault: @Sendable (HTTPResponse) -> CalendarError
  /// How long the service wants to be left alone, where it says so in its body or by another status than usual.
  let pause: @Sendable (HTTPResponse) -> Duration?

  /// Gets one page.
  func get<Answer: Decodable>(
    _ address: HTTPAddress, preferring preference: String? = nil, as answer: Answer.Type
  ) async throws(CalendarError) -> Answer {
    let response = try await response(to: address, preferring: preference)
    // Some answer 200 with an error in it, and a hotel's network with a page of its own.
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
  /// The body, where it is JSON of this shape.
  func json<Answer: Decodable>(_ answer: Answer.Type) -> Answer? {
    try? JSONDecoder().decode(answer, from: body.withBytes { Data($0) })
  }
}
