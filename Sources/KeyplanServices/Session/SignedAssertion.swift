import KeyplanJSON
import KeyplanOAuth
package import KeyplanSecrets

/// Makes the token that an `Assertion` describes (RFC 7519, RFC 7523 section 3).
package enum SignedAssertion {
  /// - Parameter now: seconds since 1970.
  package static func make(
    _ assertion: SecretAPI.Assertion, _ bindings: Bindings, at now: Int64
  ) throws(RemoteFailure) -> SecretBox {
    let key: SecretBox?
    let parts: [String]
    do throws(RequestFault) {
      switch try assertion.key.text(bindings) {
      case .open(let text): key = SecretBox(Array(text.utf8))
      case .secret(let secret): key = secret
      case nil: key = nil
      }
      let own: [(String, BodyTree)] = [("alg", .literal(.string("RS256"))), ("typ", .literal(.string("JWT")))]
      // An identifier of its own, because some services refuse an assertion without one, and all refuse one twice.
      let id = Base64URL.random(24).withBytes { String(decoding: $0, as: UTF8.self) }
      let times: [(String, BodyTree)] = [
        ("iat", .literal(.number(String(now)))), ("exp", .literal(.number(String(now + Int64(assertion.lifetime))))),
        ("jti", .literal(.string(id))),
      ]
      parts = [
        try text(own, assertion.header, bindings), try text(times, assertion.claims, bindings),
      ]
    } catch {
      throw RemoteFailure(.unauthenticated, RemoteMessages.notSignable)
    }
    let signed = parts.joined(separator: ".")
    guard let signature = key?.withBytes({ RS256(pem: $0) })?.signature(of: signed) else {
      throw RemoteFailure(.unauthenticated, RemoteMessages.privateKey)
    }
    return SecretBox(Array("\(signed).\(signature)".utf8))
  }

  private static func text(
    _ own: [(String, BodyTree)], _ tree: BodyTree, _ bindings: Bindings
  ) throws(RequestFault) -> String {
    var members = own.map { Named($0.0, $0.1) }
    if case .object(let more) = tree { members += more }
    return try BodyTree.object(members).json(bindings, [:]).withBytes { Base64URL.text(of: $0) }
  }
}
