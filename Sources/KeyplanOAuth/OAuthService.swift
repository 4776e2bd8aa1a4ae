package import KeyplanCore
package import KeyplanHTTP

/// The addresses of a service, and what it wants beyond the RFCs.
package struct OAuthService: Hashable, Sendable {
  /// Where a person signs in, in a browser.
  package let authorization: HTTPAddress
  /// Where tokens are had.
  package let token: HTTPAddress
  /// Where a sign-in on another device begins (RFC 8628).
  package let device: HTTPAddress?
  /// Where tokens are given back (RFC 7009).
  package let revocation: HTTPAddress?
  /// Who the service says it is in answers to a sign-in (RFC 9207), where that is known.
  package let issuer: String?
  /// What it wants to be told when a person signs in.
  let extras: [Extra]

  struct Extra: Hashable {
    let name: String
    let value: String
  }

  /// A service that wants nothing special.
  package init(
    authorization: HTTPAddress, token: HTTPAddress, device: HTTPAddress? = nil, revocation: HTTPAddress? = nil,
    issuer: String? = nil
  ) {
    self.authorization = authorization
    self.token = token
    self.device = device
    self.revocation = revocation
    self.issuer = issuer
    extras = []
  }

  /// The service of an account, at its usual addresses or at those that are declared instead.
  ///
  /// Google gives a refresh token only where offline access is asked for, and says who it is. Microsoft's issuer is not the
  /// same for all tenants, and it gives single tokens not back.
  /// - Throws: `HTTPError` for an address that cannot be called; for CalDAV, which has none, too.
  package init(_ facts: AccountFacts) throws(HTTPError) {
    authorization = try HTTPAddress(facts.address(of: .authorize) ?? "")
    token = try HTTPAddress(facts.address(of: .token) ?? "")
    device = try Self.address(facts.address(of: .device))
    revocation = try Self.address(facts.address(of: .revoke))
    let isUsual = facts.endpoints[.authorize] == nil
    issuer = facts.service == .google && isUsual ? "https://accounts.google.com" : nil
    extras =
      switch facts.service {
      case .google: [Extra(name: "access_type", value: "offline")]
      case .outlook: [Extra(name: "response_mode", value: "query")]
      case .caldav: []
      }
  }

  private static func address(_ text: String?) throws(HTTPError) -> HTTPAddress? {
    guard let text else { return nil }
    return try HTTPAddress(text)
  }
}
