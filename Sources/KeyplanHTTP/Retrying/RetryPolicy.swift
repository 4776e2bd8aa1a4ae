/// Whether and when to repeat a request after a response. Pure: the remaining time and the jitter are arguments.
package struct RetryPolicy: Hashable, Sendable {
  /// The maximum number of transmissions.
  package var attempts: Int
  /// The approximate pause after the first response; doubled after each further one.
  package var firstPause: Duration

  /// Up to three retries, after about 0.5, 1 and 2 seconds.
  package init(attempts: Int = 4, firstPause: Duration = .milliseconds(500)) {
    self.attempts = attempts
    self.firstPause = firstPause
  }

  /// The pause before the next transmission, or `nil` to accept the response.
  ///
  /// - Parameters:
  ///   - sent: the number of transmissions so far.
  ///   - status: the status of the response.
  ///   - isRepeatable: whether sending it twice has the same effect as sending it once.
  ///   - asked: the pause that the service requested; never shortened.
  ///   - left: the time until the deadline; a longer pause is not started.
  ///   - jitter: from 0 to 1, so that many rejected clients do not retry at the same time.
  package func pause(
    sent: Int, status: Int, isRepeatable: Bool, asked: Duration?, left: Duration, jitter: Double
  ) -> Duration? {
    guard sent < attempts, asked != nil || Self.isPassing(status, isRepeatable) else { return nil }
    let step = firstPause * (1 << min(sent - 1, 20))
    // At least half of it, since a back-off of zero would have no effect. A requested pause is waited in full.
    let pause = asked.map { $0 + step * (jitter / 4) } ?? step * (0.5 + jitter / 2)
    return pause < left ? pause : nil
  }

  /// Whether a later response may be different. A request that must not be executed twice is repeated only if the
  /// status says that it was not executed: another server error may have occurred after the execution.
  private static func isPassing(_ status: Int, _ isRepeatable: Bool) -> Bool {
    switch status {
    case 408, 429, 503: true
    case 501, 505: false
    case 500...599: isRepeatable
    default: false
    }
  }
}
