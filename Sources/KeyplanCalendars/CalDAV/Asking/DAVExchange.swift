import KeyplanHTTP
import KeyplanSecrets

/// Asks a server, as the account. It is the one place where user name and password are put into a request.
struct DAVExchange: Sendable {
  let account: DAVAccount
  private let client: HTTPClient

  /// Ten thousand events. An answer is held up to three times while it is read, and no server may fill this machine's memory.
  private static let bodyLimit = 8 << 20
  /// `/.well-known/caldav` leads to a path, and that perhaps to itself with a slash.
  private static let hops = 3

  init(_ account: DAVAccount, _ settings: HTTPSettings) {
    var settings = settings
    settings.bodyLimit = Self.bodyLimit
    self.account = account
    client = HTTPClient(settings)
  }

  /// What it answers, whatever that is, and from which address in the end. A redirection is followed to where the
  /// password may be sent, a few times.
  func ask(
    _ question: DAVQuestion, at address: HTTPAddress
  ) async throws(DAVError) -> (answer: DAVAnswer, address: HTTPAddress) {
    var address = address
    for _ in 0...Self.hops {
      let response = try await send(question, to: address)
      guard [301, 302, 307, 308].contains(response.status), let location = response.header("Location") else {
        return (try DAVAnswer(response, from: address), address)
      }
      address = try reference(DAVReference(location), at: address)
    }
    throw DAVError(.unexpected(status: 301), at: address)
  }

  /// Where it leads, if the password may be sent there.
  func reference(_ reference: DAVReference, at base: HTTPAddress) throws(DAVError) -> HTTPAddress {
    let address: HTTPAddress
    do throws(HTTPError) { address = try reference.resolved(at: base) } catch {
      // From https to http is another place, too.
      if case .address(.insecure) = error.code { throw DAVError(.elsewhere(host: error.host), at: base) }
      throw DAVError(.unreadable(.address), at: base)
    }
    guard account.trusts(address) else { throw DAVError(.elsewhere(host: address.host), at: base) }
    return address
  }

  private func send(_ question: DAVQuestion, to address: HTTPAddress) async throws(DAVError) -> HTTPResponse {
    guard account.trusts(address) else { throw DAVError(.elsewhere(host: address.host), at: address) }
    do throws(HTTPError) {
      var request = HTTPRequest(question.method, address)
      try request.authorize(user: account.user, password: account.password)
      try request.add("Depth", .open("\(question.depth)"))
      let text = #"<?xml version="1.0" encoding="utf-8"?>"# + question.body
      request.body = HTTPBody(type: "application/xml; charset=utf-8", SecretBox(Array(text.utf8)))
      return try await client.send(request)
    } catch {
      throw DAVError(.exchange(error), at: address)
    }
  }
}
