package import KeyplanHTTP
package import KeyplanModel

/// The endpoints of a service, and its requirements beyond the RFCs.
package struct OAuthService: Hashable, Sendable {
  /// The endpoint at which users sign in with a browser.
  package let authorization: HTTPAddress
  /// The token endpoint.
  package let token: HTTPAddress
  /// The endpoint at which sign-ins on another device start (RFC 8628).
  package let device: HTTPAddress?
  /// The endpoint that revokes tokens (RFC 7009).
  package let revocation: HTTPAddress?
  /// The issuer that sign-in responses contain (RFC 9207), if known.
  package let issuer: String?
  /// Additional parameters of sign-ins.
  let extras: [Extra]

  struct Extra: Hashable {
    let name: String
    let value: String
  }

  /// A service without special requirements.
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

  /// The service of an account, with its default endpoints or declared ones.
  ///
  /// Google issues a refresh token only if offline access is requested, and identifies itself. Microsoft's issuer
  /// differs between tenants, and Microsoft does not revoke single tokens.
  /// - Throws: `HTTPError` for an invalid address, and for CalDAV, which has no endpoints.
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
