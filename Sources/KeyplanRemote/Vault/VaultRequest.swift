import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets

/// A request below `/v1/`.
struct VaultRequest: Sendable {
  let method: HTTPRequest.Method
  /// Encoded, with its query.
  let path: String
  let body: HTTPBody?
  /// Whether sending it again has no further effect.
  let isRepeatable: Bool

  /// - Parameter segments: neither empty nor dots; `VaultPath` rules that out for names in the manifest.
  static func get(_ segments: [String], query: String = "", isRepeatable: Bool = true) -> VaultRequest {
    VaultRequest(method: .get, path: encoded(segments) + query, body: nil, isRepeatable: isRepeatable)
  }

  static func delete(_ segments: [String]) -> VaultRequest {
    VaultRequest(method: .delete, path: encoded(segments), body: nil, isRepeatable: false)
  }

  static func post(_ segments: [String], _ body: SecretBox = SecretBox(Array("{}".utf8)), isRepeatable: Bool = false)
    -> VaultRequest
  {
    VaultRequest(
      method: .post, path: encoded(segments), body: HTTPBody(type: "application/json", body),
      isRepeatable: isRepeatable)
  }

  /// A JSON Merge Patch (RFC 7396).
  static func patch(_ segments: [String], _ body: SecretBox) -> VaultRequest {
    VaultRequest(
      method: .patch, path: encoded(segments), body: HTTPBody(type: "application/merge-patch+json", body),
      isRepeatable: false)
  }

  private static func encoded(_ segments: [String]) -> String {
    segments.map { PathSegment.encode($0) }.joined(separator: "/")
  }

  func made(at base: String, namespace: String?, token: SecretBox?) throws(HTTPError) -> HTTPRequest {
    var request = HTTPRequest(method, try HTTPAddress("\(base)/v1/\(path)"))
    request.isRepeatable = isRepeatable
    request.body = body
    // A Vault Agent may require it, so that a browser cannot be made to send requests.
    try request.add("X-Vault-Request", .open("true"))
    if let namespace { try request.add("X-Vault-Namespace", .open(namespace)) }
    if let token { try request.add("X-Vault-Token", .secret(token)) }
    return request
  }
}

extension SecretBox {
  /// A JSON object with string members.
  static func json(_ members: [(name: String, value: HTTPValue)]) -> SecretBox {
    var writer = SecretWriter()
    writer.append("{")
    for (index, member) in members.enumerated() {
      if index > 0 { writer.append(",") }
      JSONText.write(member.name, to: &writer)
      writer.append(":")
      switch member.value {
      case .open(let text): JSONText.write(text, to: &writer)
      case .secret(let secret, _): secret.withBytes { JSONText.write($0, to: &writer) }
      }
    }
    writer.append("}")
    return writer.finished()
  }
}
