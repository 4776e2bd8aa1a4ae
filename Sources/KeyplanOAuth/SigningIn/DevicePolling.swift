package import KeyplanCore
import KeyplanHTTP

/// When to ask for the end of a sign-in on another device, and when to stop (RFC 8628, section 3.5). Pure: whoever drives
/// it waits and asks.
package struct DevicePolling: Sendable {
  /// What to do next.
  package enum Step: Sendable {
    /// Ask at this moment.
    case ask(at: Moment)
    /// Stop.
    case ended(TokenOutcome)
  }

  /// What to ask with.
  package let request: TokenRequest
  private let end: Moment
  /// When whoever waits has enough, where that is before the code's own end: the last time to ask.
  private let last: Moment?
  private var interval: Interval

  /// Begins when the person is shown the code.
  /// - Parameter limit: how long at most, where that is less than the code's own time.
  package init(_ signIn: DeviceSignIn, within limit: Interval? = nil, at now: Moment) {
    request = .device(signIn.code)
    end = now + signIn.lifetime
    last = limit.flatMap { $0 < signIn.lifetime ? now + $0 : nil }
    interval = signIn.interval
  }

  /// The first time to ask.
  package func first(at now: Moment) -> Step { .ask(at: min(now + interval, last ?? end)) }

  /// What an answer leads to.
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
      // The person may still be typing: an outage ends nothing, and is not made worse.
      interval = Interval(seconds: min(interval.seconds * 2, 60))
      pause = Interval(seconds: unavailable.pause?.components.seconds ?? 0)
    }
    let then = now + max(interval, pause)
    if then < last ?? end { return .ask(at: then) }
    if let last, now < last { return .ask(at: last) }
    return .ended(.refused(Refusal(.codeSpent, code: "expired_token")))
  }
}
