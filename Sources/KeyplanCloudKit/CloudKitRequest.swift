package import KeyplanHTTP
package import KeyplanSecrets

/// The authentication of requests.
package enum CloudKitCredential: Redacted, Sendable {
  case key(CloudKitKey)
  /// Reads the records that everyone may read.
  case token(SecretBox)
}

/// The requests to the public database of a container.
package enum CloudKitRequest {
  package enum Operation: String, Sendable { case query, lookup, modify }

  package static let address = "https://api.apple-cloudkit.com"

  /// - Parameters:
  ///   - base: the address of the service, without a path.
  ///   - now: seconds since 1970. A signature is valid for ten minutes.
  /// - Returns: nil if the address is not allowed, or the names of container or environment cannot be in a path.
  package static func make(
    _ operation: Operation, _ body: SecretBox, at base: String, _ schema: CloudKitSchema,
    _ credential: CloudKitCredential, now: Int64
  ) -> HTTPRequest? {
    guard !base.contains("?"), let container = PathSegment.encoded(segment: schema.container),
      let environment = PathSegment.encoded(segment: schema.environment)
    else { return nil }
    let path = "/database/1/\(container)/\(environment)/public/records/\(operation.rawValue)"
    let origin = base.hasSuffix("/") ? String(base.dropLast()) : base
    guard var request = try? authenticated(origin + path, path, body, credential, now) else { return nil }
    // As in Apple's example of a signed request.
    request.body = HTTPBody(type: "text/plain", body)
    request.isRepeatable = false
    return request
  }

  private static func authenticated(
    _ address: String, _ path: String, _ body: SecretBox, _ credential: CloudKitCredential, _ now: Int64
  ) throws(HTTPError) -> HTTPRequest {
    switch credential {
    case .key(let key):
      var request = HTTPRequest(.post, try HTTPAddress(address))
      for (name, value) in key.headers(for: body, path: path, now: now) { try request.add(name, .open(value)) }
      return request
    case .token(let token):
      // The service accepts the token only in the query.
      let text = HTTPBody.encoded(.secret(token)).withBytes { String(decoding: $0, as: UTF8.self) }
      return HTTPRequest(.post, try HTTPAddress("\(address)?ckAPIToken=\(text)"))
    }
  }
}
