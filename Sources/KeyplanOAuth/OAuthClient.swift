package import KeyplanSecrets

/// keyplan as registered with a service: an id, possibly a secret, and the service's endpoints.
package struct OAuthClient: Redacted, Sendable {
  /// The method by which a client authenticates with its secret (RFC 6749, section 2.3.1).
  package enum Authentication: Sendable {
    /// In the form, as Google and Microsoft document it.
    case form
    /// In the header, which every service must support and some require.
    case basic
  }

  /// The id that the service issued.
  package let id: String
  /// The client secret. Google requires one for desktop apps too; Microsoft rejects one for public clients.
  package let secret: SecretBox?
  package let service: OAuthService
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
