/// How requests are made.
package struct HTTPSettings: Sendable {
  /// For the whole exchange: from when the request is begun to the end of the answer, pauses and repetitions included.
  package var deadline = Duration.seconds(30)
  /// How many bytes of an answer's body are taken, decompressed.
  package var bodyLimit = 1 << 20
  /// How many requests run side by side; others wait in line, and their time does not run.
  package var atOnce = 16
  /// Whether and when a request is sent again.
  package var retrying = RetryPolicy()
  /// What keyplan calls itself.
  package var userAgent = "keyplan"
  /// The way out, where there is only one.
  package var proxy: HTTPProxy?
  /// A file of certificates (PEM) that are trusted instead of the system's.
  package var authorities: String?

  /// No proxy, and the system's certificates.
  package init() {}

  /// As the usual variables say: `HTTPS_PROXY`, `NO_PROXY` (both also in lower case, which goes first) and
  /// `SSL_CERT_FILE`.
  /// - Throws: `HTTPError` if there is a proxy and its address is none.
  package init(variables: [String: String]) throws(HTTPError) {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    authorities = value("SSL_CERT_FILE")
    guard let address = value("https_proxy") ?? value("HTTPS_PROXY") else { return }
    proxy = try HTTPProxy(address, except: value("no_proxy") ?? value("NO_PROXY") ?? "")
  }
}
