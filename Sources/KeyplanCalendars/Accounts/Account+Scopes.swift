package import KeyplanCore
import KeyplanHTTP

extension Account {
  /// What is asked for: reading calendars and events, and nothing more.
  package var scopes: [String] {
    switch (facts.service, signIn) {
    case (.google, _): ["calendar.calendarlist.readonly", "calendar.events.readonly"].map { Self.google + $0 }
    // What an administrator has agreed to, as a whole.
    case (.outlook, .clientCredentials): ["\(graph)/.default"]
    // Without the first there is no refresh token.
    case (.outlook, _): ["offline_access", "\(graph)/Calendars.Read"]
    case (.caldav, _): []
    }
  }

  /// What a person is asked for. Microsoft tells whose account it is only to whoever may read its names; a sign-in without that
  /// is taken all the same.
  package var signInScopes: [String] {
    facts.service == .outlook && signIn.needsPerson ? scopes + ["\(graph)/User.Read"] : scopes
  }

  private static let google = "https://www.googleapis.com/auth/"

  /// National clouds have a Graph of their own; what stands for it on this machine has not.
  private var graph: String {
    guard let text = facts.endpoints[.api], let address = try? HTTPAddress(text), address.scheme == "https" else {
      return "https://graph.microsoft.com"
    }
    return "https://\(address.host)"
  }
}
