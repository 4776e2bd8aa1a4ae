package import KeyplanSecrets

/// A request to a service. Its description contains only the method and the address without its query.
package struct HTTPRequest: Redacted, Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    /// Reads properties of a resource (WebDAV, RFC 4918).
    case propfind = "PROPFIND"
    /// Sends a query in the body (WebDAV, RFC 3253).
    case report = "REPORT"
  }

  package let method: Method
  package let address: HTTPAddress
  /// The headers, except those that the client adds itself.
  package private(set) var headers: [(name: String, value: HTTPValue)] = []
  package var body: HTTPBody?
  /// Whether sending it twice has the same effect as sending it once, so that it may be sent again after a server
  /// error. By default determined by the method: not for `post` and `patch`.
  package var isRepeatable: Bool
  /// Returns the pause that a service requests other than by `Retry-After`; `nil` if the response requests none.
  package var pauseAsked: (@Sendable (HTTPResponse) -> Duration?)?

  package init(_ method: Method, _ address: HTTPAddress) {
    self.method = method
    self.address = address
    isRepeatable = method != .post && method != .patch
  }

  /// Adds a header.
  /// - Throws: `HTTPError` if the name is invalid, or the value contains a line break or another control character.
  package mutating func add(_ name: String, _ value: HTTPValue) throws(HTTPError) {
    var isOneLine = true
    value.forEach { if $0 < 0x20 && $0 != 0x09 || $0 == 0x7F { isOneLine = false } }
    let isName = name.utf8.allSatisfy {
      isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
    guard isOneLine, isName, !name.isEmpty else { throw HTTPError(.header(name: name), at: address.host) }
    headers.append((name, value))
  }

  /// Adds an access token.
  /// - Throws: `HTTPError` if it contains a line break or another control character.
  package mutating func authorize(bearer token: SecretBox) throws(HTTPError) {
    try add("Authorization", .secret(token, after: "Bearer "))
  }

  /// Adds a user name and a password (Basic, RFC 7617).
  /// - Throws: `HTTPError` for a user name with a colon, which separates it from the password.
  package mutating func authorize(user: String, password: SecretBox) throws(HTTPError) {
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw HTTPError(.header(name: "Authorization"), at: address.host)
    }
    try add("Authorization", .secret(SecretBase64.text(of: .secret(password, after: user + ":")), after: "Basic "))
  }

  /// The content to send. A method with a body sends an explicitly empty one if there is none.
  var content: SecretBox? {
    if let body { return body.bytes }
    return method == .get || method == .delete ? nil : SecretBox([])
  }

  /// For example `GET https://api.example.com/v1/models`.
  package var description: String { "\(method.rawValue) \(address)" }
}
