public import KeyplanHTTP
public import KeyplanSecrets

/// Keyplan as a service knows it: an id, perhaps a secret, and where the service is asked.
public struct OAuthClient: Redacted, Sendable {
  /// How a client shows that it has its secret (RFC 6749, section 2.3.1).
  public enum Authentication: Sendable {
    /// In the form: what Google and Microsoft document.
    case form
    /// In the header: what every service has to take, and some take only.
    case basic
  }

  /// The id that the service gave out.
  public let id: String
  /// What the service calls a secret. Google wants one of desktop apps too; Microsoft refuses one of public clients.
  public let secret: SharedSecret?
  /// Where to ask.
  public let service: OAuthService
  /// How to show the secret.
  public let authentication: Authentication

  /// Nothing is checked.
  public init(
    id: String, secret: SharedSecret? = nil, at service: OAuthService, by authentication: Authentication = .form
  ) {
    self.id = id
    self.secret = secret
    self.service = service
    self.authentication = authentication
  }
}

/// The addresses of a service, and what it wants beyond the RFCs.
public struct OAuthService: Hashable, Sendable {
  /// Where a person signs in, in a browser.
  public let authorization: HTTPAddress
  /// Where tokens are had.
  public let token: HTTPAddress
  /// Where a sign-in on another device begins (RFC 8628).
  public let device: HTTPAddress?
  /// Where tokens are given back (RFC 7009).
  public let revocation: HTTPAddress?
  /// Who the service says it is in answers to a sign-in (RFC 9207), where that is known.
  public let issuer: String?
  /// What it wants to be told when a person signs in.
  let extras: [Extra]

  struct Extra: Hashable {
    let name: String
    let value: String
  }

  /// A service that wants nothing special.
  public init(
    authorization: HTTPAddress, token: HTTPAddress, device: HTTPAddress? = nil, revocation: HTTPAddress? = nil,
    issuer: String? = nil
  ) {
    self.init(
      authorization: authorization, token: token, device: device, revocation: revocation, issuer: issuer, extras: [])
  }

  private init(
    authorization: HTTPAddress, token: HTTPAddress, device: HTTPAddress?, revocation: HTTPAddress?, issuer: String?,
    extras: [Extra]
  ) {
    self.authorization = authorization
    self.token = token
    self.device = device
    self.revocation = revocation
    self.issuer = issuer
    self.extras = extras
  }

  /// Google. Without `access_type=offline` there is no refresh token.
  public static func google() throws(HTTPError) -> OAuthService {
    OAuthService(
      authorization: try HTTPAddress("https://accounts.google.com/o/oauth2/v2/auth"),
      token: try HTTPAddress("https://oauth2.googleapis.com/token"),
      device: try HTTPAddress("https://oauth2.googleapis.com/device/code"),
      revocation: try HTTPAddress("https://oauth2.googleapis.com/revoke"), issuer: "https://accounts.google.com",
      extras: [Extra(name: "access_type", value: "offline")])
  }

  /// Microsoft. It gives single tokens not back; its issuer is not the same for all tenants.
  /// - Parameter tenant: `common`, `organizations`, `consumers`, an id or a domain; the same at every step.
  public static func microsoft(tenant: String) throws(HTTPError) -> OAuthService {
    let root = "https://login.microsoftonline.com/\(tenant)/oauth2/v2.0"
    return OAuthService(
      authorization: try HTTPAddress("\(root)/authorize"), token: try HTTPAddress("\(root)/token"),
      device: try HTTPAddress("\(root)/devicecode"), revocation: nil, issuer: nil,
      extras: [Extra(name: "response_mode", value: "query")])
  }
}
