import KeyplanHTTP
package import KeyplanModel

extension OAuthClient {
  /// Polls during a sign-in on another device, as often as the service allows, until it ends.
  ///
  /// - Parameters:
  ///   - limit: the maximum duration, if it is less than the code's lifetime.
  ///   - clock: returns the current time.
  ///   - sleep: waits for the duration; throws to end the wait.
  /// - Returns: `nil` if `sleep` ended the wait.
  package func end(
    of signIn: DeviceSignIn, within limit: Interval? = nil, through port: some OAuthPort,
    clock: @Sendable () -> Moment,
    sleep: @Sendable (Interval) async throws -> Void
  ) async -> TokenOutcome? {
    var polling = DevicePolling(signIn, within: limit, at: clock())
    var step = polling.first(at: clock())
    while true {
      switch step {
      case .ended(let outcome): return outcome
      case .ask(let moment):
        do { try await sleep(max(Interval(seconds: 0), moment - clock())) } catch { return nil }
        step = polling.next(after: await ask(polling.request, through: port), at: clock())
      }
    }
  }
}
