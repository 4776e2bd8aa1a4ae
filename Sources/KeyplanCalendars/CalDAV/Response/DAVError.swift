import KeyplanHTTP

/// The reason that a server's calendars cannot be read. Contains host names, but nothing of a request or a response.
struct DAVError: Error, Hashable, Sendable {
  enum Code: Hashable, Sendable {
    /// The user name or password is rejected (401).
    case credentialsRefused
    /// The account has no permission (403).
    case forbidden
    /// There is no such resource (404, 410).
    case notFound
    /// The server refers to another host, to which the password is not sent.
    case elsewhere(host: String)
    /// The server is overloaded or had an internal error.
    case busy(status: Int, pause: Duration?)
    /// The server responds, but not like a CalDAV server.
    case notCalDAV
    /// The response has an unexpected status.
    case unexpected(status: Int)
    /// The response cannot be parsed.
    case unreadable(Fault)
    /// There was no response.
    case exchange(HTTPError)
  }

  /// An error in a response.
  enum Fault: Hashable, Sendable {
    case xml(XMLFault)
    /// XML, but not a `multistatus`.
    case notMultistatus
    /// It contains an invalid address.
    case address
    /// The list of changes never ends: there is always a new sync token, or the same one is repeated.
    case endless
    /// It lists changes without a token for the next request.
    case noToken
  }

  let code: Code
  let host: String

  init(_ code: Code, at address: HTTPAddress) {
    self.code = code
    host = address.host
  }

  /// Whether the service could not be reached, so that the state of the account is unknown.
  var isUnreachable: Bool {
    switch code {
    case .exchange(let error): error.isUnreachable
    case .busy: true
    case .credentialsRefused, .forbidden, .notFound, .elsewhere, .notCalDAV, .unexpected, .unreadable: false
    }
  }
}
