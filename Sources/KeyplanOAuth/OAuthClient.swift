package import KeyplanSecrets

/// Keyplan as a service knows it: an id, perhaps a secret, and where the service is asked.
package struct OAuthClient: Redacted, Sendable {
  /// How a client shows that it has its secret (RFC 6749, section 2.3.1).
  package enum Authentication: Sendable {
    /// In the form: what Google and Microsoft document.
    case form
    /// In the header: what every service has to take, and some take only.
    case basic
  }

  /// The id that the service gave out.
  package let id: String
  /// What the service calls a secret. Google wants one of desktop apps too; Microsoft refuses one of public clients.
  package let secret: SecretBox?
  /// Where to ask.
  package let service: OAuthService
  /// How to show the secret.
  package let authentication: Authentication

  package init(
    id: String, secret: SecretBox? = nil, at service: OAuthService, by authentication: Authentication = .form
  ) {
    self.id = id
    self.secret = secret
    self.service = service
    self.authentication = authentication
  }
}
