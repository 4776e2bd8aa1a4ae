import KeyplanHTTP
package import KeyplanModel

extension Account {
  /// The scopes for reading calendars and events, and nothing more.
  package var scopes: [String] {
    switch (facts.service, signIn) {
    case (.google, _): ["calendar.calendarlist.readonly", "calendar.events.readonly"].map { Self.google + $0 }
    // All permissions to which an administrator has consented.
    case (.outlook, .clientCredentials): ["\(graph)/.default"]
    // Without `offline_access` there is no refresh token.
    case (.outlook, _): ["offline_access", "\(graph)/Calendars.Read"]
    case (.caldav, _): []
    }
  }

  /// The scopes of an interactive sign-in. Microsoft reveals the account's names only with `User.Read`; a sign-in
  /// without that scope is accepted all the same.
  package var signInScopes: [String] {
    facts.service == .outlook && signIn.needsPerson ? scopes + ["\(graph)/User.Read"] : scopes
  }

  private static let google = "https://www.googleapis.com/auth/"

  /// National clouds have their own Graph host; a test server on this machine does not.
  private var graph: String {
    guard let text = facts.endpoints[.api], let address = try? HTTPAddress(text), address.scheme == "https" else {
      return "https://graph.microsoft.com"
    }
    return "https://\(address.host)"
  }
}
