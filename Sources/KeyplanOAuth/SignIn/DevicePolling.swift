import KeyplanHTTP
package import KeyplanModel

/// Decides when to poll during a sign-in on another device, and when to stop (RFC 8628, section 3.5). Pure: the caller waits
/// and sends the requests.
package struct DevicePolling: Sendable {
  package enum Step: Sendable {
    /// Poll at this moment.
    case ask(at: Moment)
    case ended(TokenOutcome)
  }

  /// The request to send.
  package let request: TokenRequest
  private let end: Moment
  /// The caller's own limit, if it is earlier than the code's expiration: the last time to poll.
  private let last: Moment?
  private var interval: Interval

  /// Starts when the code is displayed.
  /// - Parameter limit: the maximum duration, if it is less than the code's lifetime.
  package init(_ signIn: DeviceSignIn, within limit: Interval? = nil, at now: Moment) {
    request = .device(signIn.code)
    end = now + signIn.lifetime
    last = limit.flatMap { $0 < signIn.lifetime ? now + $0 : nil }
    interval = signIn.interval
  }

  /// The first poll.
  package func first(at now: Moment) -> Step { .ask(at: min(now + interval, last ?? end)) }

  /// The step after a response.
  package mutating func next(after outcome: TokenOutcome, at now: Moment) -> Step {
    var pause = Interval(seconds: 0)
    switch outcome {
    case .granted: return .ended(outcome)
    case .refused(let refusal):
      switch refusal.code {
      case "authorization_pending": break
      case "slow_down": interval = Interval(seconds: interval.seconds + 5)
      default: return .ended(outcome)
      }
    case .unavailable(let unavailable):
      // The user may still be typing: continue after an outage, but less often.
      interval = Interval(seconds: min(interval.seconds * 2, 60))
      pause = Interval(seconds: unavailable.pause?.components.seconds ?? 0)
    }
    let then = now + max(interval, pause)
    if then < last ?? end { return .ask(at: then) }
    if let last, now < last { return .ask(at: last) }
    return .ended(.refused(Refusal(.codeSpent, code: "expired_token")))
  }
}
