import Foundation
import KeyplanSecrets
import Testing

@testable import KeyplanHTTP

@Suite struct TrustTests {
  private let server: Server

  init() throws { server = try Server() }

  private func file(_ name: String) -> String { Certificates.shared.folder.appending(path: name).path }

  private func code(_ port: Int, authorities: String?, proxy: String? = nil) async throws -> HTTPError.Code? {
    var settings = HTTPSettings.quick(.seconds(20))
    settings.authorities = authorities
    var request = HTTPRequest(.get, try HTTPAddress("https://127.0.0.1:\(port)/echo?key=hidden"))
    try request.authorize(bearer: SecretBox(text: "canary"))
    do throws(HTTPError) {
      let response = try await HTTPClient(settings).send(request)
      #expect(response.status == 200)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("a certificate of the named authority is trusted")
  func trusted() async throws {
    let settings = try HTTPSettings(variables: ["SSL_CERT_FILE": file("authority.pem")])
    for host in ["127.0.0.1", "localhost"] {
      let response = try await HTTPClient(settings).send(
        HTTPRequest(.get, try HTTPAddress("https://\(host):\(server.tls)/echo")))
      #expect(response.status == 200)
    }
  }

  @Test("one of another authority, for another name, out of date, or over old TLS is not, and gets no request")
  func refused() async throws {
    let ports = server.tlsPorts
    let right = file("authority.pem")
    #expect(try await code(ports.good, authorities: nil) == .tls(.untrusted))
    #expect(try await code(ports.good, authorities: file("other.pem")) == .tls(.untrusted))
    #expect(try await code(ports.otherHost, authorities: right) == .tls(.otherHost))
    #expect(try await code(ports.expired, authorities: right) == .tls(.outOfDate))
    #expect(try await code(ports.old, authorities: right) == .tls(.handshake))
    #expect(try await code(server.port, authorities: right) == .tls(.handshake))
    #expect(try await server.seen().counts.keys.allSatisfy { $0 == "/seen" })
    #expect(try await code(ports.good, authorities: right) == nil)
  }

  @Test("a file of authorities that cannot be used is named")
  func noAuthorities() async throws {
    for path in ["/nonexistent.pem", file("localhost.key"), "/a\0b"] {
      #expect(try await code(server.tls, authorities: path) == .tls(.authorities(path: path)))
    }
  }

  @Test("certificates that were read before count instead of those in files")
  func authorityData() async throws {
    func code(_ certificates: String, identity: ClientCertificate? = nil) async throws -> HTTPError.Code? {
      var settings = HTTPSettings.quick(.seconds(20))
      settings.authorities = file("other.pem")
      settings.authorityData = SecretBox(Array(try Data(contentsOf: URL(filePath: file(certificates)))))
      settings.clientCertificate = identity
      do throws(HTTPError) {
        _ = try await HTTPClient(settings).send(
          HTTPRequest(.get, try HTTPAddress("https://127.0.0.1:\(server.tls)/echo")))
        return nil
      } catch {
        return error.code
      }
    }
    #expect(try await code("authority.pem") == nil)
    #expect(try await code("other.pem") == .tls(.untrusted))
    #expect(try await code("localhost.key") == .certificates)
    let nothing = ClientCertificate(certificate: SecretBox(text: "no PEM"), key: SecretBox(text: "no PEM"))
    #expect(try await code("authority.pem", identity: nothing) == .identity)
  }

  @Test("through a proxy the service's certificate counts, and the proxy sees no more than its name")
  func proxy() async throws {
    var settings = HTTPSettings.quick(.seconds(20))
    settings.authorities = file("authority.pem")
    settings.proxy = try HTTPProxy(server.proxy.replacingOccurrences(of: "//", with: "//user:word@"))
    let client = HTTPClient(settings)
    var request = HTTPRequest(
      .get, try HTTPAddress("https://service.example:\(server.tlsPorts.otherHost)/echo?key=hidden"))
    try request.authorize(bearer: SecretBox(text: "canary"))
    #expect(try await client.send(request).status == 200)
    let tunnels = try await server.seen().proxy
    #expect(tunnels.map(\.line) == ["CONNECT service.example:\(server.tlsPorts.otherHost)"])
    #expect(tunnels[0].headers.contains("Proxy-Authorization: Basic dXNlcjp3b3Jk"))
    #expect(!tunnels[0].headers.joined().contains("canary"))
    let wrong = HTTPRequest(.get, try HTTPAddress("https://service.example:\(server.tls)/echo"))
    let error = await #expect(throws: HTTPError.self) { try await client.send(wrong) }
    #expect(error?.code == .tls(.otherHost))
    #expect(error?.description.contains("word") == false)
  }

  @Test("what the proxy says instead of the service is told as the proxy's")
  func proxyFailing() async throws {
    func error(through proxy: String) async throws -> HTTPError? {
      var settings = HTTPSettings.quick(.seconds(20))
      settings.proxy = try HTTPProxy(proxy)
      let request = HTTPRequest(.get, try HTTPAddress("https://service.example/"))
      return await #expect(throws: HTTPError.self) { try await HTTPClient(settings).send(request) }
    }
    let denied = try await error(through: server.denyingProxy)
    #expect(denied == HTTPError(.proxyDenied(status: 407), at: "service.example", through: server.denyingProxy))
    let absent = try await error(through: "user:word@127.0.0.1:1")
    #expect(absent == HTTPError(.refused, at: "service.example", through: "127.0.0.1:1"))
    let unknown = try await error(through: "no-such-proxy.invalid:1")
    #expect(unknown?.code == .unresolved)
  }

  @Test("what is on this machine goes past the proxy")
  func loopback() async throws {
    var settings = HTTPSettings.quick()
    settings.proxy = try HTTPProxy("127.0.0.1:1")
    #expect(try await HTTPClient(settings).send(HTTPRequest(.get, try server.address("/echo"))).status == 200)
  }
}
