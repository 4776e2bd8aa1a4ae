package import KeyplanCore
import KeyplanHTTP

extension OAuthClient {
  /// Asks for the end of a sign-in on another device, as often as the service allows, until there is one.
  ///
  /// - Parameters:
  ///   - limit: how long at most, where that is less than the code's own time.
  ///   - clock: what time it is.
  ///   - sleep: waits that long; throws when the wait is to end.
  /// - Returns: `nil` when the wait was ended.
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
