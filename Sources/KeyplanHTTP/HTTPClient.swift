/// Asks services by HTTP: over TLS or on this machine, without following redirections, within a deadline, and with a
/// bound on what it takes. Nothing is loaded or started before the first request.
package struct HTTPClient: Sendable {
  private let settings: HTTPSettings
  private let workers: Workers

  /// A client with connections of its own, which it keeps open as long as it lives.
  package init(_ settings: HTTPSettings = HTTPSettings()) {
    self.settings = settings
    workers = Workers(atOnce: settings.atOnce)
  }

  /// Sends a request, again where the policy says so, and gives the last answer, whatever its status.
  /// - Throws: `HTTPError` if there is none. Cancelling the task ends the wait at once.
  package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let clock = ContinuousClock()
    var deadline: ContinuousClock.Instant?
    var sent = 0
    while true {
      let attempt = Attempt(request, settings, until: deadline)
      let response = try await workers.carryOut(attempt)
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

  /// A pause in the answer's own words counts for any status, one in the header only for those that are repeated anyway.
  private func asked(by response: HTTPResponse, to request: HTTPRequest) -> Duration? {
    if let pause = request.pauseAsked?(response) { return pause }
    guard [408, 429, 503].contains(response.status) else { return nil }
    return response.pauseInHeader
  }
}
