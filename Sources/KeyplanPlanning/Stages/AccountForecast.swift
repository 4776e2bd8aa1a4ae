package import KeyplanModel

/// The time at which a sign-in is expected to expire by itself, according to the service's rules.
package struct AccountForecast: Hashable, Sendable {
  package let end: Moment
  package let cause: Cause
  /// From when on it is reported.
  package let warnsFrom: Moment

  /// The reason that a sign-in expires by itself.
  package enum Cause: String, Sendable, Codable, CaseIterable {
    /// Google's tokens of apps in testing live seven days, also when the app is published meanwhile.
    case testing
    /// Unused tokens expire: after six months at Google, after 90 days at Microsoft.
    case unused
    /// The service granted it until then.
    case granted
    /// The sign-in has no refresh token and expires with the access token.
    case noRefreshToken
  }

  static let testingLife = Interval.days(7)

  /// The earliest end of a declared account's sign-in that is known; nil if none is.
  package init?(_ account: Account, _ signIn: SignInRecord) {
    // Service accounts and clients get their next token without a refresh token.
    self.init(account.facts, signIn, needsPerson: account.signIn.needsPerson)
  }

  /// - Parameter needsPerson: whether only a person can sign in again.
  package init?(_ facts: AccountFacts, _ signIn: SignInRecord, needsPerson: Bool = false) {
    guard signIn.ended == nil else { return nil }
    guard signIn.isRefreshable else {
      guard needsPerson, let end = signIn.accessEnd else { return nil }
      self.init(end: end, cause: .noRefreshToken, warnsFrom: signIn.signedInAt)
      return
    }
    let used = signIn.refreshedAt ?? signIn.signedInAt
    var ends: [(end: Moment, cause: Cause, from: Moment)] = []
    if let end = signIn.endsAt { ends.append((end, .granted, signIn.signedInAt)) }
    if facts.service == .google, signIn.isTesting {
      ends.append((signIn.signedInAt + Self.testingLife, .testing, signIn.signedInAt))
    }
    if let life = facts.unusedLife { ends.append((used + life, .unused, used)) }
    guard let first = ends.min(by: { $0.end < $1.end }) else { return nil }
    // A warning that is shown for most of a token's life is ignored.
    let window = min(Interval.days(14), Interval(seconds: (first.end - first.from).seconds / 4))
    self.init(end: first.end, cause: first.cause, warnsFrom: first.end - window)
  }

  private init(end: Moment, cause: Cause, warnsFrom: Moment) {
    self.end = end
    self.cause = cause
    self.warnsFrom = warnsFrom
  }
}

extension AccountFacts {
  /// The lifetime of an unused token; nil if unknown.
  package var unusedLife: Interval? {
    switch service {
    case .google: .days(180)
    case .outlook: .days(90)
    case .caldav: nil
    }
  }
}

/// The most likely reason that a service ended a sign-in: its error is the same for many causes, but the times differ.
package enum AccountEndCause: Hashable, Sendable {
  /// The seven days of an app in testing; inferred from the times if the manifest does not declare it as one.
  case testing(days: Int64)
  /// It was not used for that long.
  case unused(Interval)
  /// It was revoked, or the password was changed.
  case revoked

  init(_ end: AccountEnd, _ facts: AccountFacts, _ signIn: SignInRecord) {
    let age = end.at - signIn.signedInAt
    let idle = end.at - (signIn.refreshedAt ?? signIn.signedInAt)
    let life = AccountForecast.testingLife
    // A refusal is noticed at the first refresh after the expiry, which may be days later if the app is known to be in testing.
    let isAtSeven = age >= life && age.seconds < life.seconds + 86400
    if facts.service == .google, age >= life, signIn.isTesting || isAtSeven {
      self = .testing(days: age.seconds / 86400)
    } else if let life = facts.unusedLife, idle >= life {
      self = .unused(idle)
    } else {
      self = .revoked
    }
  }
}
