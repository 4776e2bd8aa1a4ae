public import KeyplanCore

/// What is known of a grant from the time before the service refused it: its words are the same for many causes.
public struct GrantHistory: Hashable, Sendable {
  /// When the person signed in.
  public let issued: Moment
  /// When it was last refreshed.
  public let used: Moment
  /// Whether the app's consent page was in Google's publishing status *Testing* at that time.
  public let isTesting: Bool

  /// Nothing is checked.
  public init(issued: Moment, used: Moment, isTesting: Bool) {
    self.issued = issued
    self.used = used
    self.isTesting = isTesting
  }

  /// Google's refresh tokens of apps in testing live seven days, also when the app is published meanwhile.
  public static let testingLifetime = Interval.days(7)
  /// Unused tokens end: after 90 days at Microsoft, after six months at Google. The shorter time is the one to say.
  public static let unusedLifetime = Interval.days(90)

  /// Why the token has most likely ended.
  public func cause(at now: Moment) -> EndCause {
    if isTesting, now - issued >= Self.testingLifetime { return .testing }
    return now - used >= Self.unusedLifetime ? .unused : .revoked
  }
}

/// Why a refresh token ended, as far as can be told from its times.
public enum EndCause: Hashable, Sendable {
  /// Its seven days as a token of an app in testing are over.
  case testing
  /// It was not used for so long that the service ended it.
  case unused
  /// Somebody took it back, or a new password did; or another process used it and kept what it got.
  case revoked
}
