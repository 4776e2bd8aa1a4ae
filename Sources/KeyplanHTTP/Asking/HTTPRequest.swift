package import KeyplanSecrets

/// One request to a service. It shows its method and its address without the query, and nothing else.
package struct HTTPRequest: Redacted, Sendable {
  /// What to do there.
  package enum Method: String, Sendable {
    /// Reads.
    case get = "GET"
    /// Whatever the service does with it.
    case post = "POST"
    /// Puts the body there.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
    /// Reads properties of what is there (WebDAV, RFC 4918).
    case propfind = "PROPFIND"
    /// Asks a question that the body holds (WebDAV, RFC 3253).
    case report = "REPORT"
  }

  /// What to do there.
  package let method: Method
  /// Where.
  package let address: HTTPAddress
  /// Its headers; the client adds what HTTP itself needs.
  package private(set) var headers: [(name: String, value: HTTPValue)] = []
  /// What it carries.
  package var body: HTTPBody?
  /// Whether sending it twice does what sending it once does, so that it may be sent again when the service had a fault
  /// in the middle of it. By default what the method promises: `post` and `patch` promise nothing.
  package var isRepeatable: Bool
  /// How long a service that says so elsewhere than in `Retry-After` wants to be left alone before the same request is
  /// sent again; `nil` where an answer says nothing of that.
  package var pauseAsked: (@Sendable (HTTPResponse) -> Duration?)?

  /// A request without headers and body.
  package init(_ method: Method, _ address: HTTPAddress) {
    self.method = method
    self.address = address
    isRepeatable = method != .post && method != .patch
  }

  /// Adds a header.
  /// - Throws: `HTTPError` if the value would end its line, or the name is none.
  package mutating func add(_ name: String, _ value: HTTPValue) throws(HTTPError) {
    var isOneLine = true
    value.forEach { if $0 < 0x20 && $0 != 0x09 || $0 == 0x7F { isOneLine = false } }
    let isName = name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    guard isOneLine, isName, !name.isEmpty else { throw HTTPError(.header(name: name), at: address.host) }
    headers.append((name, value))
  }

  /// Adds an access token.
  /// - Throws: `HTTPError` if it would end its line.
  package mutating func authorize(bearer token: SecretBox) throws(HTTPError) {
    try add("Authorization", .secret(token, after: "Bearer "))
  }

  /// Adds a user name and a password (Basic, RFC 7617).
  /// - Throws: `HTTPError` for a user name with a colon, at which the password would begin.
  package mutating func authorize(user: String, password: SecretBox) throws(HTTPError) {
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw HTTPError(.header(name: "Authorization"), at: address.host)
    }
    try add("Authorization", .secret(Base64.text(of: .secret(password, after: user + ":")), after: "Basic "))
  }

  /// What is sent after the headers; a method that carries something says so even if it is nothing.
  var content: SecretBox? {
    if let body { return body.bytes }
    return method == .get || method == .delete ? nil : SecretBox([])
  }

  /// Such as `GET https://api.example.com/v1/models`.
  package var description: String { "\(method.rawValue) \(address)" }
}
