import Foundation
import KeyplanSecrets
import Testing

@testable import KeyplanHTTP

@Suite struct CancellingTests {
  private let server: Server

  init() throws { server = try #require(Server.shared) }

  private func cancel(_ client: HTTPClient, _ request: HTTPRequest, after pause: Duration?) async -> HTTPError? {
    let task = Task { () -> HTTPError? in
      do throws(HTTPError) {
        _ = try await client.send(request)
        return nil
      } catch {
        return error
      }
    }
    if let pause { try? await Task.sleep(for: pause) }
    task.cancel()
    return await task.value
  }

  @Test(
    "a cancelled task stops waiting, whatever it waits for",
    arguments: ["/silent", "/slow", "/endless-chunks", "/status/503?Retry-After=2000"])
  func running(path: String) async throws {
    var settings = HTTPSettings.quick(HTTPSettings.patience)
    settings.bodyLimit = .max
    let request = HTTPRequest(.get, try server.address(path))
    let start = ContinuousClock.now
    let error = await cancel(HTTPClient(settings), request, after: .milliseconds(200))
    #expect(error == HTTPError(.cancelled, at: "127.0.0.1"))
    #expect(ContinuousClock.now - start < HTTPSettings.patience / 2)
  }

  @Test("one that waits in line is taken out of it and is never sent; the others go on")
  func queued() async throws {
    var settings = HTTPSettings.quick(HTTPSettings.patience)
    settings.atOnce = 1
    let client = HTTPClient(settings)
    let silent = Server.own("/silent")
    let address = try server.address(silent)
    let first = Task { try await client.send(HTTPRequest(.get, address)) }
    while try await server.seen().counts[silent] == nil { try await Task.sleep(for: .milliseconds(5)) }
    let path = Server.own("/bytes/1")
    let queued = HTTPRequest(.get, try server.address(path))
    #expect(await cancel(client, queued, after: .milliseconds(20)) == HTTPError(.cancelled, at: "127.0.0.1"))
    #expect(await cancel(client, queued, after: nil) == HTTPError(.cancelled, at: "127.0.0.1"))
    first.cancel()
    _ = await first.result
    // The one line there is comes free and works.
    #expect(try await client.send(HTTPRequest(.get, try server.address("/bytes/2"))).text == "xx")
    #expect(try await server.seen().counts[path] == nil)
  }

  @Test("waiting in line does not use up the time of what waits")
  func fairness() async throws {
    var settings = HTTPSettings.quick(.seconds(3))
    settings.atOnce = 1
    settings.retrying = RetryPolicy(attempts: 1)
    let client = HTTPClient(settings)
    let silent = Server.own("/silent")
    let slow = try server.address(silent)
    let quick = try server.address("/bytes/1")
    let first = Task { await Result { try await client.send(HTTPRequest(.get, slow)) } }
    while try await server.seen().counts[silent] == nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await client.send(HTTPRequest(.get, quick)).status == 200)
    _ = await first.value
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
