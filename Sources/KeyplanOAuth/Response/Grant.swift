package import KeyplanModel
package import KeyplanSecrets

/// The tokens in a successful response (RFC 6749, section 5.1).
package struct Grant: Redacted, Sendable {
  /// For requests to the service on behalf of the user.
  package let accessToken: SecretBox
  /// For obtaining the next access token. Google issues one only at sign-in, other services a new one each time.
  package let refreshToken: SecretBox?
  /// The lifetime of the access token; `nil` if the service does not report it.
  package let lifetime: Interval?
  /// The lifetime of the refresh token, which Google reports for access granted for a limited time.
  package let refreshLifetime: Interval?
  /// The latest time for the next refresh that the service suggests (Microsoft).
  package let refreshHint: Interval?
  /// The granted scopes; `nil` if the service does not report them because they equal the requested ones.
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

  /// Requested scopes that were not granted: users can deselect some on Google's consent page.
  package func missing(of wanted: [String]) -> [String] {
    guard let scopes else { return [] }
    let granted = Set(scopes.map(Self.plain))
    return wanted.filter { scope in
      let plain = Self.plain(scope)
      return !Self.aboutThePerson.contains(scope) && granted.isDisjoint(with: [plain] + Self.wider[plain, default: []])
    }
  }

  /// Scopes that services do not report, or report under another name; they do not grant access to calendars.
  private static let aboutThePerson: Set = ["openid", "profile", "email", "offline_access"]

  /// Scopes that include another one; imported tokens often have these.
  private static let wider: [String: [String]] = [
    "calendar.calendarlist.readonly": ["calendar.calendarlist", "calendar.readonly", "calendar"],
    "calendar.events.readonly": ["calendar.events", "calendar.readonly", "calendar"],
    "calendars.read": ["calendars.readwrite"],
  ]

  /// Microsoft reports its own scopes without their URL prefix, and in different case.
  private static func plain(_ scope: String) -> String {
    guard scope.hasPrefix("https://"), let slash = scope.lastIndex(of: "/") else { return scope.lowercased() }
    return scope[scope.index(after: slash)...].lowercased()
  }
}
