internal import KeyplanClocks

/// The pause after a failure before a source may be asked again.
struct Wait: Hashable, Sendable {
  let failures: Int
  let since: TimeStamp
  let pause: Duration
  /// The message of the source, or of the transport.
  let detail: String

  /// - Parameters:
  ///   - before: the number of failures in a row before this one.
  ///   - asked: the pause that the source asks for; never shortened, and never longer than an hour.
  ///   - jitter: from 0 to 1.
  init(after before: Int, at moment: TimeStamp, asked: Duration? = nil, detail: String, jitter: Double) {
    let step = min(Self.longest, Self.first * (1 << min(before, 20)))
    failures = before + 1
    since = moment
    // At least half of it, since a pause of zero would have no effect.
    pause = max(step * (0.5 + jitter / 2), min(asked ?? .zero, .seconds(3600)))
    self.detail = detail
  }

  init(failures: Int, since: TimeStamp, pause: Duration, detail: String) {
    (self.failures, self.since, self.pause, self.detail) = (failures, since, pause, detail)
  }

  /// The remaining pause; nil if it is over, or unknown.
  func left(_ now: TimeStamp) -> Duration? {
    guard let age = now.age(of: since), age < pause else { return nil }
    return pause - age
  }

  static let first = Duration.seconds(1)
  static let longest = Duration.seconds(300)
}
