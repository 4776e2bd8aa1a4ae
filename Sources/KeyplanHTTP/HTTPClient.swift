/// Sends requests to services: over TLS or on this machine, without following redirections, with a deadline and a size
/// limit. Nothing is loaded or started before the first request.
package struct HTTPClient: Sendable {
  private let settings: HTTPSettings
  private let workers: Workers

  /// A client with its own connections, which stay open as long as it exists.
  package init(_ settings: HTTPSettings = HTTPSettings()) {
    self.settings = settings
    workers = Workers(atOnce: settings.atOnce)
  }

  /// Sends a request, repeats it according to the retry policy, and returns the last response, whatever its status.
  /// - Throws: `HTTPError` if there is no response. Cancelling the task ends the wait at once.
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let clock = ContinuousClock()
    var deadline: ContinuousClock.Instant?
    var sent = 0
    while true {
      let attempt = Attempt(request, settings, until: deadline)
      let response = try await workers.perform(attempt)
      deadline = attempt.deadline
      sent += 1
      let pause = settings.retrying.pause(
        sent: sent, status: response.status, isRepeatable: request.isRepeatable,
        asked: asked(by: response, to: request),
        left: deadline.map { $0 - clock.now } ?? .zero, jitter: .random(in: 0...1))
      guard let pause else { return response }
      do { try await clock.sleep(for: pause) } catch { throw HTTPError(.cancelled, at: request.address.host) }
    }
  }

  /// A pause requested in the body applies to any status, one in the header only to those that are retried anyway.
  private func asked(by response: HTTPResponse, to request: HTTPRequest) -> Duration? {
    if let pause = request.pauseAsked?(response) { return pause }
    guard [408, 429, 503].contains(response.status) else { return nil }
    return response.pauseInHeader
  }
}
