import KeyplanHTTP
import KeyplanSecrets

/// Sends requests with the account's credentials. The only code that puts user name and password into a request.
struct DAVExchange: Sendable {
  let account: DAVAccount
  private let client: HTTPClient

  /// Enough for ten thousand events. Up to three copies exist while a response is parsed, so the limit protects the
  /// memory.
  private static let bodyLimit = 8 << 20
  /// `/.well-known/caldav` redirects to a path, which may redirect to the same path with a slash.
  private static let hops = 3

  init(_ account: DAVAccount, _ settings: HTTPSettings) {
    var settings = settings
    settings.bodyLimit = Self.bodyLimit
    self.account = account
    client = HTTPClient(settings)
  }

  /// Sends a request, following a few redirections to where the password may be sent. Returns the response, whatever
  /// its status, and its final address.
  func perform(
    _ query: DAVRequest, at address: HTTPAddress
  ) async throws(DAVError) -> (answer: DAVResponse, address: HTTPAddress) {
    var address = address
    for _ in 0...Self.hops {
      let response = try await send(query, to: address)
      guard [301, 302, 307, 308].contains(response.status), let location = response.header("Location") else {
        return (try DAVResponse(response, from: address), address)
      }
      address = try reference(DAVReference(location), at: address)
    }
    throw DAVError(.unexpected(status: 301), at: address)
  }

  /// Resolves a reference, if the password may be sent there.
  func reference(_ reference: DAVReference, at base: HTTPAddress) throws(DAVError) -> HTTPAddress {
    let address: HTTPAddress
    do throws(HTTPError) { address = try reference.resolved(at: base) } catch {
      // A redirection from https to http leads elsewhere, too.
      if case .address(.insecure) = error.code { throw DAVError(.elsewhere(host: error.host), at: base) }
      throw DAVError(.unreadable(.address), at: base)
    }
    guard account.trusts(address) else { throw DAVError(.elsewhere(host: address.host), at: base) }
    return address
  }

  private func send(_ query: DAVRequest, to address: HTTPAddress) async throws(DAVError) -> HTTPResponse {
    guard account.trusts(address) else { throw DAVError(.elsewhere(host: address.host), at: address) }
    do throws(HTTPError) {
      var request = HTTPRequest(query.method, address)
      try request.authorize(user: account.user, password: account.password)
      try request.add("Depth", .open("\(query.depth)"))
      let text = #"<?xml version="1.0" encoding="utf-8"?>"# + query.body
      request.body = HTTPBody(type: "application/xml; charset=utf-8", SecretBox(Array(text.utf8)))
      return try await client.send(request)
    } catch {
      throw DAVError(.exchange(error), at: address)
    }
  }
}
