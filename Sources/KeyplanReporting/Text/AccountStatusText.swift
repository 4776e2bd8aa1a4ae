package import KeyplanModel
package import KeyplanPlanning

/// The state of accounts, for people.
package enum AccountStatusText {
  package static func render(_ statuses: [AccountStatus], style: Style, at now: Moment) -> String {
    var page = Page(style: style)
    guard !statuses.isEmpty else {
      page.prose("No calendar accounts. Declare one under `calendars` in the manifest.", indent: 0)
      page.end()
      return page.text
    }
    let rows = Rows(statuses.lazy.map { ("calendar.\($0.id)", $0.word) }, width: page.width)
    for status in statuses {
      let (sign, tint): (String, Tint) =
        switch status.state {
        case .granted: (style.text(.active), .add)
        case .expired: (style.text(.inactive), .faint)
        default: ("!", .warning)
        }
      var details = Run.words(status.reason(style))
      if let end = status.forecastWords(at: now) { details.append(.apart(end, .warning)) }
      rows.set(
        sign, tint, "calendar.\(status.id)", status.word, details, on: &page)
      let next = status.next
      for text in [next.command, next.hint].compactMap(\.self) {
        page.move(to: 6)
        page.hint(text, indent: 6, .choose)
        page.end()
      }
    }
    return page.text
  }
}

extension AccountStatus {
  /// The state in a word or two.
  package var word: String {
    switch state {
    case .granted: "granted"
    case .endsWithToken: "no refresh token"
    case .refreshRefused: "refresh refused"
    case .expired: "expired"
    case .tokenRefused: "token rejected"
    case .needsSignIn: "needs sign-in"
    case .partlyGranted: "partially granted"
    case .passwordRefused: "password rejected"
    case .noCalendar(.open): "no calendar selected"
    case .noCalendar(.ambiguous): "ambiguous calendar"
    case .noCalendar: "calendar not found"
    case .unreachable: "unreachable"
    case .notAllowed: "access denied"
    case .noSecret: "secret not found"
    case .heldBack: "not approved yet"
    }
  }

  /// The state for programs.
  package var key: String {
    switch state {
    case .granted: "granted"
    case .endsWithToken: "noRefreshToken"
    case .refreshRefused: "refreshRefused"
    case .expired: "expired"
    case .tokenRefused: "tokenRefused"
    case .needsSignIn: "needsSignIn"
    case .partlyGranted: "partlyGranted"
    case .passwordRefused: "passwordRefused"
    case .noCalendar(.open): "noCalendarSelected"
    case .noCalendar(.ambiguous): "calendarAmbiguous"
    case .noCalendar: "calendarNotFound"
    case .unreachable: "unreachable"
    case .notAllowed: "notAllowed"
    case .noSecret: "secretNotFound"
    case .heldBack: "heldBack"
    }
  }

  /// All states for programs.
  package static let keys = [
    "granted", "expired", "tokenRefused", "needsSignIn", "partlyGranted", "passwordRefused", "noCalendarSelected",
    "calendarAmbiguous", "calendarNotFound", "unreachable", "notAllowed", "secretNotFound", "heldBack",
    "noRefreshToken",
    "refreshRefused",
  ]

  /// The reason, as a half sentence or a whole one.
  package func reason(_ style: Style) -> String {
    switch state {
    case .granted(let calendar, let until), .endsWithToken(let calendar, let until):
      "calendar \(calendar.name)" + (until.map { "; the token is valid until \(style.time($0))" } ?? "")
    case .expired:
      signIn == nil
        ? "no token has been fetched yet"
        : signIn?.unanswered == nil && signIn?.refreshBegan == nil
          ? "a refresh will show whether the sign-in is still valid"
          : "the response to the last refresh was lost; the next refresh will show whether the stored token is still valid"
    case .refreshRefused(let refusal, let until):
      AccountMessages.refused(refusal, account.facts.service, style)
        + (until.map { "; the access token is valid until \(style.time($0))" } ?? "")
    case .tokenRefused: "\(account.facts.service.spoken) rejects the access token, which has not expired"
    case .needsSignIn(let need): AccountMessages.need(need)
    case .partlyGranted(let missing):
      AccountMessages.need(AccountNeed(facts: account.facts, reason: .scopesMissing, missing: missing))
    case .passwordRefused: "the server rejects the user name and password"
    case .noCalendar(let pick): AccountMessages.pick(pick, wanted: account.calendar, of: id)?.detail ?? ""
    case .unreachable(let reason), .notAllowed(let reason, _), .noSecret(let reason, _): reason
    case .heldBack: "its hosts are not approved yet"
    }
  }

  /// The next action.
  package var next: (action: String, command: String?, hint: String?) {
    switch state {
    case .granted: ("nothing", nil, nil)
    case .endsWithToken: ("signIn", "keyplan calendar sign-in \(id)", AccountMessages.refreshTokenHint(id))
    case .refreshRefused(let refusal, _): ("configure", "keyplan calendar refresh \(id)", refusal.reason.hint)
    case .expired: ("refresh", "keyplan calendar refresh \(id)", nil)
    case .tokenRefused:
      ("refresh", "keyplan calendar refresh \(id)", "This fetches a new token, or reports that the sign-in has ended.")
    case .needsSignIn: ("signIn", AccountMessages.renewal(id, account), nil)
    case .partlyGranted: ("signIn", "keyplan calendar sign-in \(id)", "Grant all requested permissions.")
    case .passwordRefused:
      (
        "password", nil,
        "Correct the password at its source; many services require an app password."
      )
    case .noCalendar(let pick):
      ("select", "keyplan calendar list \(id)", AccountMessages.pick(pick, wanted: account.calendar, of: id)?.hint)
    case .unreachable: ("wait", nil, "Nothing is lost. Try again later.")
    case .notAllowed(_, let hint): ("configure", nil, hint)
    case .noSecret: ("configure", nil, nil)
    case .heldBack: ("allow", "keyplan apply", nil)
    }
  }

  /// The corresponding exit code.
  package var exit: ExitStatus {
    switch state {
    case .granted, .endsWithToken, .expired: .done
    case .needsSignIn, .partlyGranted: .personNeeded
    case .unreachable, .noSecret(_, true): .unreachable
    case .refreshRefused, .tokenRefused, .passwordRefused, .noCalendar, .notAllowed, .noSecret(_, false), .heldBack:
      .failed
    }
  }

  /// The expected end of the sign-in.
  fileprivate func forecastWords(at now: Moment) -> String? {
    guard let forecast else { return nil }
    let verb = now >= forecast.end ? "was to expire" : "expires"
    switch forecast.cause {
    case .testing: return "the sign-in \(verb) on \(forecast.end.date): the app is in testing"
    case .granted: return "the sign-in \(verb) on \(forecast.end.date)"
    case .noRefreshToken: return "the sign-in ends then"
    case .unused: return nil
    }
  }
}
