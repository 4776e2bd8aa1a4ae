import Crypto
package import KeyplanHTTP
import KeyplanModel
package import KeyplanSecrets

extension SecretAPI.AWSSignature {
  /// Signs a request that is otherwise complete: its address, its body, and all headers that AWS reads.
  /// - Parameter now: seconds since 1970.
  package func sign(_ request: inout HTTPRequest, _ bindings: Bindings, at now: Int64) throws(RequestFault) {
    let region = try region.text(bindings)?.plain ?? ""
    let key = AWSCredentials(
      try accessKeyId.text(bindings)?.plain, try secretAccessKey.text(bindings)?.box,
      token: try sessionToken?.text(bindings)?.box)
    guard let key, AWSEndpoint.isRegion(region) else { throw .notAnAccessKey }
    let signer = SigV4(key, region: region, service: service, date: now)
    let body = request.body?.bytes ?? SecretBox([])
    // S3 requires it, the others allow it.
    try RequestBuilder.add("x-amz-content-sha256", .open(SigV4.hash(of: body)), to: &request)
    let parts = SigV4.canonicalParts(of: request.address, isStorage: service == "s3")
    var headers = request.headers.filter { $0.name.hasPrefix("x-amz-") }
    headers.append(("host", .open(request.address.hostHeader)))
    if let type = request.body?.type { headers.append(("content-type", .open(type))) }
    let authorization = signer.authorization(
      SigV4.Request(
        method: request.method.rawValue, path: parts.path, query: parts.query, headers: headers, body: body))
    try RequestBuilder.add("x-amz-date", .open(signer.date), to: &request)
    if let token = key.sessionToken { try RequestBuilder.add("x-amz-security-token", .secret(token), to: &request) }
    try RequestBuilder.add("authorization", .open(authorization), to: &request)
  }
}

extension ExpandedText {
  fileprivate var plain: String { withBytes { String(decoding: $0, as: UTF8.self) } }

  fileprivate var box: SecretBox {
    switch self {
    case .open(let text): SecretBox(Array(text.utf8))
    case .secret(let secret): secret
    }
  }
}

extension SigV4 {
  /// The path and the query of the canonical request ("Create a signed AWS API request", step 1).
  /// - Parameter isStorage: whether the service is S3, whose paths are neither encoded again nor normalized.
  package static func canonicalParts(of address: HTTPAddress, isStorage: Bool) -> (path: String, query: String) {
    let rest = address.text.dropFirst(address.scheme.utf8.count + 3).drop { $0 != "/" && $0 != "?" }
    let written = rest.prefix { $0 != "?" }
    var path = written.isEmpty ? "/" : String(written)
    if !isStorage {
      let segments = written.split(separator: "/").map { PathSegment.encode(String($0)) }
      path = "/" + segments.joined(separator: "/")
      if written.hasSuffix("/"), !segments.isEmpty { path += "/" }
    }
    let parameters = rest.dropFirst(written.count + 1).split(separator: "&").map { parameter in
      let name = parameter.prefix { $0 != "=" }
      return (name: String(name), value: String(parameter.dropFirst(name.count + 1)))
    }
    let query = parameters.sorted { first, second in
      first.name == second.name
        ? first.value.utf8.lexicographicallyPrecedes(second.value.utf8)
        : first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
    }
    return (path, query.map { "\($0.name)=\($0.value)" }.joined(separator: "&"))
  }

  /// The SHA-256 hash of a body in hexadecimal digits.
  package static func hash(of body: SecretBox) -> String {
    var hash = SHA256()
    body.withBytes { hash.update(bufferPointer: $0) }
    return hash.finalize().hexadecimal
  }
}
