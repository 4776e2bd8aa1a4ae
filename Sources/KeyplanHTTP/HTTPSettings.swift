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
  /// Certificates (PEM) that servers must be signed by, instead of the system's and those of `authorities`. A proxy's
  /// certificate is not affected.
  package var authorityData: SecretBox?
  /// Identifies this client to servers that require a certificate.
  package var clientCertificate: ClientCertificate?
  /// `host:port` to which connections are made instead of the URL's. The server's certificate must be for the URL's host.
  package var connectTo: String?

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

/// A client's certificate with its private key, both in PEM form.
package struct ClientCertificate: Redacted, Sendable {
  package let certificate: SecretBox
  package let key: SecretBox

  /// - Parameter certificate: may be followed by those of intermediate authorities.
  package init(certificate: SecretBox, key: SecretBox) {
    self.certificate = certificate
    self.key = key
  }
}
