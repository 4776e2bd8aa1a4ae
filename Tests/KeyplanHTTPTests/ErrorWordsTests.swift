import Testing

@testable import KeyplanHTTP

@Suite struct ErrorWordsTests {
  @Test(
    "errors say what happened, where, and what to do",
    arguments: [
      (
        HTTPError(.unresolved, at: "api.x"), "api.x is unreachable: its name could not be resolved",
        "Check the name, and the network or VPN."
      ),
      (
        HTTPError(.refused, at: "api.x", through: "proxy:3128"),
        "api.x, through the proxy proxy:3128, is unreachable: the connection was refused",
        "Check that the service is running, and its port."
      ),
      (
        HTTPError(.timedOut(.milliseconds(2500)), at: "api.x"), "api.x did not respond completely within 2.5 s",
        "Try again later. If it happens again, check the network."
      ),
      (
        HTTPError(.tls(.untrusted), at: "api.x"),
        "api.x is not trusted: its certificate is not signed by a trusted authority",
        "For a private certificate authority, set SSL_CERT_FILE to its certificate."
      ),
      (
        HTTPError(.tls(.authorities(path: "/ca.pem")), at: "api.x"),
        "api.x is not trusted: the trusted certificates cannot be read from /ca.pem",
        "Set SSL_CERT_FILE to a readable file of certificates (PEM)."
      ),
      (
        HTTPError(.proxyDenied(status: 407), at: "api.x", through: "p:1"),
        "api.x, through the proxy p:1, is unreachable: the proxy requires a user name and password (HTTP 407)",
        "Add them to HTTPS_PROXY: http://user:password@host:port"
      ),
      (
        HTTPError(.address(.insecure), at: "api.x"),
        "The address of api.x begins with http://, which would send secrets in clear text",
        "Use https://. Only this machine (localhost, 127.0.0.1) may use http://."
      ),
      (HTTPError(.tooLarge, at: "api.x"), "api.x sent a response that is larger than allowed", nil),
    ] as [(HTTPError, String, String?)])
  func words(error: HTTPError, text: String, hint: String?) {
    #expect(error.description == text)
    #expect(error.hint == hint)
  }

  @Test("unreachable is never confused with answered")
  func kinds() {
    let unreachable: [HTTPError.Code] = [
      .libraryMissing(""), .unresolved, .refused, .noRoute, .tls(.handshake),
      .proxyDenied(status: 403), .cut,
      .timedOut(.seconds(1)), .cancelled, .failed(1), .proxyAddress,
    ]
    let others: [HTTPError.Code] = [
      .address(.scheme), .header(name: "a"), .certificates, .identity, .tooLarge, .malformed,
    ]
    #expect(unreachable.allSatisfy { HTTPError($0).isUnreachable })
    #expect(others.allSatisfy { !HTTPError($0).isUnreachable })
  }
}
