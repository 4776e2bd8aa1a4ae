import Foundation
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanHTTP

@Suite struct ExchangeTests {
  private let server: Server
  private let client = HTTPClient(.quick(.seconds(20)))

  init() throws { server = try #require(Server.shared) }

  private func echo(_ request: HTTPRequest) async throws -> Server.Echo {
    try JSONDecoder().decode(Server.Echo.self, from: try await client.send(request).data)
  }

  @Test("method, headers and body arrive as they were given, and nothing that was not asked for")
  func sent() async throws {
    var request = HTTPRequest(.post, try server.address("/echo?a=b%20c"))
    try request.authorize(bearer: SecretBox(text: "token"))
    try request.add("X-Empty", .open(""))
    try request.add("X-Key", .secret(SecretBox(text: "key")))
    request.body = HTTPBody(type: "application/json", SecretBox([0, 1, 2, 255]))
    let echo = try await echo(request)
    #expect(echo.method == "POST")
    #expect(echo.path == "/echo?a=b%20c")
    #expect(echo.body == Data([0, 1, 2, 255]))
    #expect(
      echo.headers.sorted() == [
        "Accept-Encoding: gzip", "Accept: */*", "Authorization: Bearer token", "Content-Length: 4",
        "Content-Type: application/json", "Host: 127.0.0.1:\(server.port)", "User-Agent: keyplan", "X-Empty:",
        "X-Key: key",
      ])
  }

  @Test(
    "each method is sent; those that carry something say so even when it is nothing",
    arguments: [
      (.get, []), (.delete, []), (.post, ["0"]), (.put, ["0"]), (.patch, ["0"]),
    ] as [(HTTPRequest.Method, [String])])
  func methods(method: HTTPRequest.Method, length: [String]) async throws {
    let echo = try await echo(HTTPRequest(method, try server.address("/echo")))
    #expect(echo.method == method.rawValue)
    #expect(echo.values(of: "Content-Length") == length)
    #expect(echo.values(of: "Content-Type") == [])
  }

  @Test("a body of megabytes goes out without asking for leave", arguments: [1 << 16, 3 << 20])
  func large(count: Int) async throws {
    var request = HTTPRequest(.put, try server.address("/echo"))
    request.body = HTTPBody(type: "application/octet-stream", SecretBox([UInt8](repeating: 7, count: count)))
    var settings = HTTPSettings.quick(.seconds(20))
    settings.bodyLimit = 8 << 20
    let response = try await HTTPClient(settings).send(request)
    let echo = try JSONDecoder().decode(Server.Echo.self, from: response.data)
    #expect(echo.body.count == count)
    #expect(echo.values(of: "Expect") == [])
  }

  @Test(
    "answers of every shape are taken in",
    arguments: [
      ("/gzip", 200, "unpacked"), ("/interim", 200, "final"), ("/trailer", 200, "ok"), ("/close", 200, "until closed"),
      ("/status/204", 204, "{}"), ("/status/401", 401, "{}"), ("/status/404", 404, "{}"), ("/bytes/0", 200, ""),
    ])
  func shapes(path: String, status: Int, text: String) async throws {
    let response = try await client.send(HTTPRequest(.get, try server.address(path)))
    #expect(response.status == status)
    #expect(status == 204 || response.text == text)
    if path == "/trailer" { #expect(response.header("X-A") == "head") }
    if path == "/interim" { #expect(response.header("X-Early") == nil) }
  }

  @Test("the body's limit is exact")
  func limit() async throws {
    let response = try await client.send(HTTPRequest(.get, try server.address("/bytes/\(1 << 20)")))
    #expect(response.body.count == 1 << 20)
    let larger = try server.address("/bytes/\(1 << 20 + 1)")
    await #expect(throws: HTTPError(.tooLarge, at: "127.0.0.1", port: larger.port)) {
      try await client.send(HTTPRequest(.get, larger))
    }
  }

  @Test("connections are kept, and no more are opened than requests may run at once")
  func connections() async throws {
    let server = try Server()
    let settings = HTTPSettings.quick(.seconds(20))
    let client = HTTPClient(settings)
    for _ in 0..<20 { _ = try await client.send(HTTPRequest(.get, try server.address("/bytes/1"))) }
    var seen = try await server.seen()
    #expect(seen.connections == 2)  // The other one asked what was seen.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask { _ = try await client.send(HTTPRequest(.get, try server.address("/bytes/1"))) }
      }
      try await group.waitForAll()
    }
    seen = try await server.seen()
    #expect(seen.counts["/bytes/1"] == 220)
    #expect((3...18).contains(seen.connections))
  }

  @Test("what must not happen twice is not sent again on a connection that was closed meanwhile")
  func stale() async throws {
    let client = HTTPClient(.quick())
    // libcurl by itself repeats a GET on a fresh connection, and would a POST.
    for (method, count) in [(HTTPRequest.Method.get, 3), (.post, 2)] {
      let path = Server.own("/once")
      for _ in 0..<2 { _ = try await client.send(HTTPRequest(method, try server.address(path))) }
      #expect(try await server.seen().counts[path] == count)
    }
  }

  @Test("a machine without libcurl is told so")
  func missing() {
    let fault = CurlLibrary.load("libcurl-that-is-not-there.so.4")
    #expect(fault?.contains("libcurl-that-is-not-there.so.4") == true)
    let error = HTTPError(.libraryMissing(fault ?? ""), at: "api.example.com")
    #expect(error.description.hasPrefix("api.example.com is unreachable: libcurl could not be loaded (libcurl-that"))
    #expect(error.hint?.contains("libcurl4") == true)
  }

  @Test("nothing links libcurl: it is loaded with the first request")
  func loading() throws {
    let text = try Child.answer(["readelf", "--dynamic", "/proc/\(getpid())/exe"]).text
    #expect(text.contains("NEEDED"))
    #expect(!text.contains("libcurl"))
  }
}
