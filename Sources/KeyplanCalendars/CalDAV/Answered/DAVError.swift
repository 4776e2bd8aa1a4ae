import KeyplanHTTP

/// Why a server's calendars cannot be read. It names hosts, and nothing of what was sent or answered.
struct DAVError: Error, Hashable, Sendable {
  enum Code: Hashable, Sendable {
    /// User name or password are not, or no longer, taken (401).
    case credentialsRefused
    /// The account is known and may not do that (403).
    case forbidden
    /// Nothing is there (404, 410).
    case notFound
    /// It leads to another host, to which the password is not sent.
    case elsewhere(host: String)
    /// It has too much to do, or a fault of its own.
    case busy(status: Int, pause: Duration?)
    /// It is there and answers, and not as a CalDAV server does.
    case notCalDAV
    /// It answered with another status than it should.
    case unexpected(status: Int)
    /// What it answered makes no sense.
    case unreadable(Fault)
    /// There was no exchange.
    case exchange(HTTPError)
  }

  /// What is wrong with an answer.
  enum Fault: Hashable, Sendable {
    case xml(XMLFault)
    /// XML, and no `multistatus`.
    case notMultistatus
    /// An address in it is none.
    case address
    /// It has a new sync token, or the same, again and again without an end.
    case endless
    /// It tells changes without the token to ask from the next time.
    case noToken
  }

  let code: Code
  /// Which one was asked.
  let host: String

  init(_ code: Code, at address: HTTPAddress) {
    self.code = code
    host = address.host
  }

  /// Whether the service could not be asked, so that nothing is known of the account.
  var isUnreachable: Bool {
    switch code {
    case .exchange(let error): error.isUnreachable
    case .busy: true
    case .credentialsRefused, .forbidden, .notFound, .elsewhere, .notCalDAV, .unexpected, .unreadable: false
    }
  }
}
