/// Whether and when a request that was answered is sent again. Pure: what time is left and the luck are arguments.
package struct RetryPolicy: Hashable, Sendable {
  /// How often a request is sent at most.
  package var attempts: Int
  /// About how long to wait after the first answer; twice as long after each further one.
  package var firstPause: Duration

  /// Three further attempts, after about 0.5, 1 and 2 seconds.
  package init(attempts: Int = 4, firstPause: Duration = .milliseconds(500)) {
    self.attempts = attempts
    self.firstPause = firstPause
  }

  /// How long to wait before sending the request again, or `nil` for taking the answer as it is.
  ///
  /// - Parameters:
  ///   - sent: how often it was sent so far.
  ///   - status: what was answered.
  ///   - isRepeatable: whether sending it twice does what sending it once does.
  ///   - asked: the pause that the service asked for; never cut short.
  ///   - left: the time until the deadline; a pause that would reach it is not begun.
  ///   - luck: from 0 to 1, so that many who were refused at once do not come back at once.
  package func pause(
    sent: Int, status: Int, isRepeatable: Bool, asked: Duration?, left: Duration, jitter: Double
  ) -> Duration? {
    guard sent < attempts, asked != nil || Self.isPassing(status, isRepeatable) else { return nil }
    let step = firstPause * (1 << min(sent - 1, 20))
    // Half of it is certain: back-off that may be nothing is none. What was asked for is waited for in full.
    let pause = asked.map { $0 + step * (jitter / 4) } ?? step * (0.5 + jitter / 2)
    return pause < left ? pause : nil
  }

  /// Whether the service may answer otherwise soon. A request that must not happen twice is sent again only where its
  /// status says that it did not happen: the service's own fault may have come after the deed.
  private static func isPassing(_ status: Int, _ isRepeatable: Bool) -> Bool {
    switch status {
    case 408, 429, 503: true
    case 501, 505: false
    case 500...599: isRepeatable
    default: false
    }
  }
}
