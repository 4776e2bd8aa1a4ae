import Testing

@testable import KeyplanHTTP

@Suite struct ErrorWordsTests {
  @Test(
    "errors say what happened, where, and what to do",
    arguments: [
      (
        HTTPError(.unresolved, at: "api.x"), "api.x could not be reached: its name is not known",
        "check the name, and the network or VPN"
      ),
      (
        HTTPError(.refused, at: "api.x", through: "proxy:3128"),
        "api.x, through the proxy proxy:3128, could not be reached: the connection was refused",
        "check that the service runs, and its port"
      ),
      (
        HTTPError(.timedOut(.milliseconds(2500)), at: "api.x"), "api.x did not answer in full within 2.5 s",
        "try again later; check the network if it stays"
      ),
      (
        HTTPError(.tls(.untrusted), at: "api.x"),
        "api.x is not trusted: nobody who is trusted here has signed its certificate",
        "for a private authority, name its certificate in SSL_CERT_FILE"
      ),
      (
        HTTPError(.tls(.authorities(path: "/ca.pem")), at: "api.x"),
        "api.x is not trusted: the trusted certificates cannot be read from /ca.pem",
        "name a readable file of certificates (PEM) in SSL_CERT_FILE"
      ),
      (
        HTTPError(.proxyDenied(status: 407), at: "api.x", through: "p:1"),
        "api.x, through the proxy p:1, could not be reached: the proxy wants a user name and password (HTTP 407)",
        "write them into HTTPS_PROXY: http://user:password@host:port"
      ),
      (
        HTTPError(.address(.insecure), at: "api.x"),
        "the address of api.x begins with http://, which sends secrets in clear text",
        "use https://; http:// is for this machine only (localhost, 127.0.0.1)"
      ),
      (HTTPError(.tooLarge, at: "api.x"), "api.x answered with more than is taken from it", nil),
    ] as [(HTTPError, String, String?)])
  func words(error: HTTPError, text: String, hint: String?) {
    #expect(error.description == text)
    #expect(error.hint == hint)
  }

  @Test("unreachable is never confused with answered")
  func kinds() {
    let unreachable: [HTTPError.Code] = [
      .libraryMissing(""), .unresolved, .refused, .noRoute, .tls(.handshake), .proxyDenied(status: 403), .cut,
      .timedOut(.seconds(1)), .cancelled, .failed(1), .proxyAddress,
    ]
    let others: [HTTPError.Code] = [.address(.scheme), .header(name: "a"), .tooLarge, .malformed]
    #expect(unreachable.allSatisfy { HTTPError($0).isUnreachable })
    #expect(others.allSatisfy { !HTTPError($0).isUnreachable })
  }
}
