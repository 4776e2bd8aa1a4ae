package import KeyplanSecrets

package struct HTTPSettings: Sendable {
  /// The limit for the whole exchange, from the start of the request to the end of the response, including retries and
  /// pauses.
  package var deadline = Duration.seconds(30)
  /// The maximum size of a response's body in bytes, decompressed.
  package var bodyLimit = 1 << 20
  /// The maximum number of concurrent requests; others are queued, without using up their deadline.
  package var atOnce = 16
  package var retrying = RetryPolicy()
  package var userAgent = "keyplan"
  package var proxy: HTTPProxy?
  /// A file of certificates (PEM) that are trusted instead of the system's.
  package var authorities: String?
  /// Certificates (PEM) that services must be signed by, instead of those of the system or of `authorities`.
  package var authorityCertificates: SecretBox?
  /// How this client identifies itself in the TLS handshake.
  package var identity: ClientIdentity?

  package init() {}

  /// Reads the usual variables: `HTTPS_PROXY`, `NO_PROXY` (both also in lower case, which takes precedence) and
  /// `SSL_CERT_FILE`.
  /// - Throws: `HTTPError` if the proxy's address is invalid.
  package init(variables: [String: String]) throws(HTTPError) {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    authorities = value("SSL_CERT_FILE")
    guard let address = value("https_proxy") ?? value("HTTPS_PROXY") else { return }
    proxy = try HTTPProxy(address, except: value("no_proxy") ?? value("NO_PROXY") ?? "")
  }
}

/// A client certificate with its private key.
package struct ClientIdentity: Redacted, Sendable {
  /// PEM, followed by those of intermediate authorities.
  package let certificate: SecretBox
  /// PEM, without a password.
  package let key: SecretBox

  package init(certificate: SecretBox, key: SecretBox) {
    self.certificate = certificate
    self.key = key
  }
}
