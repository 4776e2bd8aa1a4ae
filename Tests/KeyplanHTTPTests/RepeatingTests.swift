import Foundation
import KeyplanSecrets
import Testing

@testable import KeyplanHTTP

@Suite struct RepeatingTests {
  private let server: Server

  init() throws { server = try #require(Server.shared) }

  private func send(
    _ path: String, by method: HTTPRequest.Method = .get
  ) async throws -> (status: Int, sent: Int?) {
    let path = Server.own(path)
    let client = HTTPClient(.quick(HTTPSettings.patience))
    let response = try await client.send(HTTPRequest(method, try server.address(path)))
    return (response.status, try await server.seen().counts[path])
  }

  @Test("an answer that passes is asked for again", arguments: ["/flaky/2/503", "/flaky/3/429", "/flaky/1/500"])
  func again(path: String) async throws {
    let calls = (Int(path.split(separator: "/")[1]) ?? 0) + 1
    #expect(try await send(path) == (200, calls))
  }

  @Test("the last answer is given when it does not pass")
  func last() async throws {
    #expect(try await send("/status/502") == (502, 4))
    #expect(try await send("/status/403") == (403, 1))
  }

  @Test("what must not happen twice is sent again only where it did not happen")
  func once() async throws {
    #expect(try await send("/flaky/1/500", by: .post) == (500, 1))
    #expect(try await send("/flaky/1/429", by: .post) == (200, 2))
  }

  @Test("a pause that was asked for is kept, and one beyond the deadline ends it with the answer")
  func pause() async throws {
    let start = ContinuousClock.now
    #expect(try await send("/flaky/1/429?Retry-After=1") == (200, 2))
    #expect(ContinuousClock.now - start >= .seconds(1))
    #expect(try await send("/flaky/1/503?Retry-After=3600") == (503, 1))
  }

  @Test("a pause may stand in the answer's own words")
  func bodyPause() async throws {
    let path = Server.own("/flaky/1/200")
    var request = HTTPRequest(.post, try server.address(path))
    request.pauseAsked = { $0.text == "at last" ? nil : .milliseconds(1) }
    #expect(try await HTTPClient(.quick(HTTPSettings.patience)).send(request).text == "at last")
    #expect(try await server.seen().counts[path] == 2)
  }
}
