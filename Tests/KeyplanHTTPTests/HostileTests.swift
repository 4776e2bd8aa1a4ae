import Foundation
import KeyplanSecrets
import Testing

@testable import KeyplanHTTP

/// Answers that are meant to hurt. How long they take is not asserted; that they end is, and how much was let in.
@Suite struct HostileTests {
  private let server: Server

  init() throws { server = try #require(Server.shared) }

  private func code(of path: String, deadline: Duration = .seconds(20)) async throws -> HTTPError.Code? {
    let request = HTTPRequest(.get, try server.address(path))
    do throws(HTTPError) {
      _ = try await HTTPClient(.quick(deadline)).send(request)
      return nil
    } catch {
      #expect(error.host == "127.0.0.1")
      return error.code
    }
  }

  @Test(
    "what has no end is cut at the limit, long before the deadline",
    arguments: [
      "/endless", "/endless-chunks", "/bomb/1", "/bomb/2", "/bomb/4", "/headers/20000000", "/header/20000000",
      "/endless-interim",
    ])
  func endless(path: String) async throws {
    let path = Server.own(path)
    #expect(try await code(of: path) == .tooLarge)
    // The sockets' own buffers take some more.
    #expect(try await server.seen().sent[path] ?? 0 < 16 << 20)
  }

  @Test("what takes too long is cut at the deadline", arguments: ["/slow", "/slow-head", "/silent"])
  func slow(path: String) async throws {
    let deadline = Duration.milliseconds(300)
    #expect(try await code(of: path, deadline: deadline) == .timedOut(deadline))
  }

  @Test("the deadline spans all repetitions")
  func deadlineOverAll() async throws {
    var settings = HTTPSettings.quick(.milliseconds(300))
    settings.retrying = RetryPolicy(attempts: .max, firstPause: .nanoseconds(1))
    let request = HTTPRequest(.get, try server.address("/status/503?Retry-After=0"))
    // Without a bound over all of them this would not end.
    let response = try? await HTTPClient(settings).send(request)
    #expect(response == nil || response?.status == 503)
  }

  @Test(
    "garbage is told from silence",
    arguments: [
      (0, [.malformed]), (1, [.malformed]), (2, [.malformed]), (3, [.malformed]), (4, [.malformed]), (5, [.malformed]),
      (6, [.malformed, .cut]), (7, [.malformed]), (8, [.malformed, .cut]), (9, [.malformed]),
    ] as [(Int, [HTTPError.Code])])
  func garbage(kind: Int, codes: [HTTPError.Code]) async throws {
    let code = try await code(of: "/garbage/\(kind)")
    #expect(code.map { codes.contains($0) } == true, "\(String(describing: code))")
  }

  @Test("a connection that is reset is no answer", arguments: [0, 1, 9, 16, 30, 80, 90])
  func reset(count: Int) async throws { #expect(try await code(of: "/reset/\(count)") == .cut) }

  @Test("an answer cut off at any byte is none")
  func cut() async throws {
    let client = HTTPClient(.quick(.seconds(20)))
    for (path, whole) in [("cut", 94), ("cut-chunked", 73)] {
      // A line feed that is missing at the very end leaves nothing open.
      for count in 0..<whole - (path == "cut" ? 0 : 1) {
        let request = HTTPRequest(.get, try server.address("/\(path)/\(count)"))
        let error = await #expect(throws: HTTPError.self, "\(path) at \(count)") { try await client.send(request) }
        #expect(error?.code == .cut || error?.code == .malformed, "\(path) at \(count): \(error?.code as Any)")
      }
      let response = try await client.send(HTTPRequest(.get, try server.address("/\(path)/\(whole)")))
      #expect(response.status == 200)
      #expect(["{\"access_token\":\"fine\"}", "hello world"].contains(response.text))
    }
  }

  @Test("nobody listening, and no such name, are told apart")
  func nobody() async throws {
    let client = HTTPClient(.quick(.seconds(20)))
    await #expect(throws: HTTPError(.refused, at: "127.0.0.1", port: 1)) {
      try await client.send(HTTPRequest(.get, try HTTPAddress("http://127.0.0.1:1/")))
    }
    await #expect(throws: HTTPError(.unresolved, at: "no-such-host.invalid")) {
      try await client.send(HTTPRequest(.get, try HTTPAddress("https://no-such-host.invalid/?key=hidden")))
    }
  }
}
