package import KeyplanModel

/// When a sign-in expires by itself, as far as the service's rules say.
package struct AccountForecast: Hashable, Sendable {
  /// When.
  package let end: Moment
  /// Why.
  package let cause: Cause
  /// From when on it is reported.
  package let warnsFrom: Moment

  /// Why a sign-in ends by itself.
  package enum Cause: String, Sendable, Codable, CaseIterable {
    /// Google's tokens of apps in testing live seven days, also when the app is published meanwhile.
    case testing
    /// Tokens that nobody uses end: after six months at Google, after 90 days at Microsoft.
    case unused
    /// The service granted it until then.
    case granted
    /// The sign-in has no refresh token and expires with the access token.
    case noRefreshToken
  }

  static let testingLife = Interval.days(7)

  /// The earliest end of a declared account's sign-in that is known; nil where none is.
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
  /// How long a token lives that nobody uses; nil where that is not known.
  package var unusedLife: Interval? {
    switch service {
    case .google: .days(180)
    case .outlook: .days(90)
    case .caldav: nil
    }
  }
}

/// Why a service most likely ended a sign-in: its error is the same for many causes, the times are not.
package enum AccountEndCause: Hashable, Sendable {
  /// The seven days of an app in testing; inferred from the times where the manifest does not say that it is one.
  case testing(days: Int64)
  /// Nobody used it for that long.
  case unused(Interval)
  /// Somebody revoked it, or a new password did.
  case revoked

  init(_ end: AccountEnd, _ facts: AccountFacts, _ signIn: SignInRecord) {
    let age = end.at - signIn.signedInAt
    let idle = end.at - (signIn.refreshedAt ?? signIn.signedInAt)
    let life = AccountForecast.testingLife
    // A refusal is noticed with the first refresh after the end, which may be days later where it is known to be in testing.
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
