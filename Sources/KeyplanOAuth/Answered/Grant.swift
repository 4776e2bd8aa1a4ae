package import KeyplanCore
package import KeyplanSecrets

/// What a service gave (RFC 6749, section 5.1).
package struct Grant: Redacted, Sendable {
  /// For asking the service in the person's name.
  package let accessToken: SecretBox
  /// For getting the next access token. Google gives one at the sign-in only; others a new one each time.
  package let refreshToken: SecretBox?
  /// How long the access token lives; `nil` where the service does not say.
  package let lifetime: Interval?
  /// How long the refresh token lives: Google says so of access that was granted for a time.
  package let refreshLifetime: Interval?
  /// When the service would like the next refresh, at the latest: Microsoft's hint.
  package let refreshHint: Interval?
  /// What may be done with it; `nil` where the service does not say: then it is what was asked for.
  package let scopes: [String]?

  init?(_ answer: ServiceAnswer) {
    guard let token = answer.secret("access_token"),
      answer.text("token_type").map({ $0.lowercased() == "bearer" }) ?? true
    else { return nil }
    accessToken = token
    refreshToken = answer.secret("refresh_token")
    lifetime = answer.seconds("expires_in").map { Interval(seconds: $0) }
    refreshLifetime = answer.seconds("refresh_token_expires_in").map { Interval(seconds: $0) }
    refreshHint = answer.seconds("refresh_in").map { Interval(seconds: $0) }
    scopes = answer.text("scope").map { $0.split(separator: " ").map(String.init) }
  }

  /// What was asked for and not granted: a person can leave out parts at Google's consent page.
  package func missing(of wanted: [String]) -> [String] {
    guard let scopes else { return [] }
    let granted = Set(scopes.map(Self.plain))
    return wanted.filter { scope in
      let plain = Self.plain(scope)
      return !Self.aboutThePerson.contains(scope) && granted.isDisjoint(with: [plain] + Self.wider[plain, default: []])
    }
  }

  /// Scopes that services do not tell back, or by another name: they open no calendar.
  private static let aboutThePerson: Set = ["openid", "profile", "email", "offline_access"]

  /// What covers a scope and more: tokens that were taken over from another program often have these.
  private static let wider: [String: [String]] = [
    "calendar.calendarlist.readonly": ["calendar.calendarlist", "calendar.readonly", "calendar"],
    "calendar.events.readonly": ["calendar.events", "calendar.readonly", "calendar"],
    "calendars.read": ["calendars.readwrite"],
  ]

  /// Microsoft tells its own scopes back without their address, and in a case of its own.
  private static func plain(_ scope: String) -> String {
    guard scope.hasPrefix("https://"), let slash = scope.lastIndex(of: "/") else { return scope.lowercased() }
    return scope[scope.index(after: slash)...].lowercased()
  }
}
