/// The number of attempts at one request, and the pauses between them, within a connection's patience. The service decides
/// which responses are worth a repetition; a request that missed its deadline is not repeated.
package struct RetryBudget {
  private let attempts: Int
  private let patience: Duration
  private let firstPause: Duration
  private var spent = Duration.zero
  /// The number of transmissions so far.
  private(set) var tries = 0

  /// - Parameter firstPause: the longest pause after the first response; doubled after each further one.
  package init(attempts: Int = 5, patience: Duration = .seconds(30), firstPause: Duration = .milliseconds(500)) {
    self.attempts = attempts
    self.patience = patience
    self.firstPause = firstPause
  }

  package mutating func countTransmission() { tries += 1 }

  /// The pause before the next transmission; nil if there is none.
  /// - Parameter asked: the pause that the service requested; never shortened.
  package mutating func pause(asked: Duration?) -> Duration? {
    guard tries < attempts else { return nil }
    let pause = asked ?? firstPause * (1 << max(0, tries - 1)) * Double.random(in: 0.5...1)
    guard spent + pause <= patience else { return nil }
    spent += pause
    return pause
  }
}
