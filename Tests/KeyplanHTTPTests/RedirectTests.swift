import Foundation
import KeyplanSecrets
import Testing

@testable import KeyplanHTTP

@Suite struct RedirectTests {
  private let server: Server

  init() throws { server = try Server() }

  @Test("no redirection is followed: nothing of a credential or a body reaches another place, and the answer is told")
  func notFollowed() async throws {
    let client = HTTPClient(.quick())
    let places = [
      "http://127.0.0.1:\(server.trap)/other-port", "http://localhost:\(server.trap)/other-host",
      "//127.0.0.1:\(server.trap)/no-scheme", "https://127.0.0.1:\(server.trap)/other-scheme",
    ]
    var asked = 0
    for status in [301, 302, 303, 307, 308] {
      for place in places {
        let encoded = try #require(place.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let path = "/redirect/\(status)?to=\(encoded)"
        for method in [HTTPRequest.Method.get, .post] {
          var request = HTTPRequest(method, try server.address(path))
          try request.authorize(bearer: SecretBox(text: "canary-token"))
          try request.add("X-Api-Key", .secret(SecretBox(text: "canary-key")))
          try request.add("Cookie", .secret(SecretBox(text: "canary-cookie")))
          if method == .post {
            request.body = .form([("refresh_token", .secret(SecretBox(text: "canary-refresh")))])
          }
          let response = try await client.send(request)
          #expect(response.status == status)
          #expect(response.header("Location") == place)
          asked += 1
        }
      }
    }
    #expect(asked == 40)
    #expect(try await server.seen().trap == [])
    // The trap does see whoever comes.
    _ = try await client.send(HTTPRequest(.get, try HTTPAddress("http://127.0.0.1:\(server.trap)/")))
    #expect(try await server.seen().trap.count == 1)
  }
}
