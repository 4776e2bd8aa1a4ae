package import KeyplanModel
package import KeyplanPlanning

/// The state of an account, in half sentences for findings, steps and reasons.
package enum AccountMessages {
  /// The reason that a person must sign in: `Google rejects the refresh token (expired or revoked)`.
  package static func need(_ need: AccountNeed) -> String {
    let service = need.facts.service.spoken
    switch need.reason {
    case .never: return "not signed in yet"
    case .changed: return "was signed in for another account, client or address"
    case .ended: return "\(service) rejects the refresh token (expired or revoked)"
    case .sessionEnded: return "\(service) requires a new sign-in: the organization's rule"
    case .personNeeded: return "\(service) requires the person: another factor, device or password"
    case .consentNeeded: return "access was not granted at \(service)"
    case .rotationLost: return "\(service) rejects the refresh token; the answer with the next one was lost"
    case .testingEnded:
      return "\(service) ended the sign-in 7 days after consent, probably because the app is in testing; publish it, "
        + "then sign in again"
    case .otherAccount:
      let found = need.found.map { "for \($0)" } ?? "for another account"
      return "the sign-in is \(found), but \(need.facts.account) is declared"
    case .notRefreshable:
      guard let until = need.until else { return "the access token has expired, and no refresh token is stored" }
      let end = Style().time(until)
      return "\(service) gave no refresh token, so that the sign-in ends with its access token at \(end)"
    case .scopesMissing: return Self.missing(need.missing)
    case .tooOld: return "the sign-in has expired under its policy"
    }
  }

  /// The command that starts a new sign-in, by a person or with a credential that needs none.
  package static func renewal(_ id: Identifier<Account>, _ account: Account) -> String {
    SignInRenewal(account).command(id)
  }

  /// The same as a sentence of its own.
  package static func sentence(_ need: AccountNeed) -> String {
    let words = Self.need(need)
    return words.prefix(1).uppercased() + words.dropFirst() + "."
  }

  /// The same for a sign-in that has ended, with the probable cause.
  package static func ended(_ need: AccountNeed, _ cause: AccountEndCause?) -> String {
    let plain = "\(need.facts.service.spoken) rejects the refresh token"
    return switch cause {
    case .testing(let days): "\(plain), \(days) days after consent: probably an app in testing mode"
    case .unused(let idle): "\(plain), which was not used for \(idle.spoken)"
    case .revoked, nil: Self.need(need)
    }
  }

  /// A refusal with the service's own code: `Microsoft reports that the client's secret has expired (invalid_client, AADSTS7000222),
  /// first at 2026-11-27 16:40Z`.
  package static func refused(
    _ refusal: AccountRefusal, _ service: AccountFacts.Service, _ style: Style = Style()
  ) -> String {
    let code = refusal.code.isEmpty ? "" : " (\(refusal.code))"
    return "\(service.spoken) \(refusal.reason.words)\(code), first at \(style.time(refusal.since))"
  }

  private static func missing(_ scopes: [String]) -> String {
    scopes.isEmpty
      ? "the sign-in does not cover reading calendars" : "the sign-in does not cover \(scopes.joined(separator: ", "))"
  }

  /// Words for a calendar that cannot be chosen, or that has another name; nil for one that is chosen.
  package static func pick(
    _ pick: CalendarPick, wanted: String?, of id: Identifier<Account>
  ) -> (code: Diagnostic.Code, detail: String, hint: String?)? {
    guard let code = pick.code, let message = message(pick, wanted ?? "", id) else { return nil }
    return (code, message.detail, message.hint)
  }

  fileprivate static func message(_ pick: CalendarPick, _ wanted: String, _ id: Identifier<Account>) -> Message? {
    switch pick {
    case .chosen: nil
    case .renamed(let calendar):
      Message(
        "The calendar \"\(wanted)\" of \"\(id)\" is now called \"\(calendar.name)\".",
        hint: "It is still used. Write its new name, or its id, which does not change: \(calendar.id)")
    case .gone(let calendar):
      Message(
        "The calendar \"\(calendar.name)\" of \"\(id)\" is gone.",
        hint: "Name another one, or have it shared with the account again.")
    case .unknown(let nearest):
      Message(
        "The account \"\(id)\" has no calendar \"\(wanted)\".",
        hint: nearest.map { "Did you mean \"\($0)\"?" } ?? "keyplan calendar list \(id)")
    case .ambiguous(let ids):
      Message(
        "The account \"\(id)\" has \(ids.count) calendars named \"\(wanted)\".",
        hint: "Name one by its id: \(ids.prefix(8).joined(separator: ", "))")
    case .open(let calendars) where calendars.isEmpty:
      Message("The account \"\(id)\" has no calendar.", hint: "Create one in the account, or have one shared with it.")
    case .open(let calendars):
      Message(
        "The account \"\(id)\" has no calendar of its own, and none is named.",
        hint: "Name one of them: \(calendars.prefix(8).map(\.name).joined(separator: ", "))")
    }
  }
}

extension AccountForecast {
  /// The expiry and its cause, as the end of a sentence.
  func words(_ facts: AccountFacts, isOver: Bool) -> String {
    let verb = isOver ? "was to expire" : "expires"
    switch cause {
    case .testing: return "\(verb) on \(end.date), 7 days after consent: the app is in testing at Google"
    case .unused:
      let life = facts.unusedLife?.spoken ?? "a long time"
      return
        "\(verb) on \(end.date) unless it is used: \(facts.service.spoken) ends sign-ins that are unused for \(life)"
    case .granted: return "\(verb) on \(end.date): it was granted until then"
    case .noRefreshToken:
      return
        "\(isOver ? "ended" : "ends") with its access token at \(Style().time(end)): \(facts.service.spoken) gave no refresh token"
    }
  }
}

extension AccountForecast.Cause {
  /// The fix for it.
  fileprivate func hint(_ id: Identifier<Account>) -> String {
    switch self {
    case .testing: "Publish the app in Google's console, then: keyplan calendar sign-in \(id)"
    case .unused: "keyplan calendar refresh \(id)"
    case .granted: "keyplan calendar sign-in \(id)"
    case .noRefreshToken: AccountMessages.refreshTokenHint(id)
    }
  }
}

extension AccountMessages {
  /// The way to a refresh token. Services issue one with the first consent only, or only to some kinds of clients.
  package static func refreshTokenHint(_ id: Identifier<Account>) -> String {
    "Remove keyplan's access in the account's settings, or use a client for desktop apps; then: keyplan calendar sign-in \(id)"
  }
}

extension AccountRefusal.Reason {
  /// A predicate for a sentence with the service's name as its subject.
  fileprivate var words: String {
    switch self {
    case .client: "rejects the client's id or secret"
    case .secretExpired: "reports that the client's secret has expired"
    case .clientDisabled: "reports that the client was disabled or deleted"
    case .accountDisabled: "reports that the account is disabled"
    case .conditionalAccess: "blocks the account by a conditional access policy of the organization"
    case .forbidden: "does not allow the client in this organization"
    case .consent: "reports that access was not consented to"
    case .assertion: "rejects the service account's signature"
    case .scope: "reports that a scope does not exist or is not for this client"
    case .other: "refused the request"
    }
  }

  /// The fix, in one sentence.
  package var hint: String {
    switch self {
    case .client: "Check the client's id, secret and type in the service's console."
    case .secretExpired:
      "Create a new secret in the service's console, and put it where the client's secret is read from."
    case .clientDisabled: "Enable the client in the service's console, or declare another one."
    case .accountDisabled: "Ask the account's administrator to enable it."
    case .conditionalAccess: "Ask the account's administrator which policy blocks it; a new sign-in does not help."
    case .forbidden: "Ask the account's administrator to allow this app."
    case .consent: "Ask the account's administrator to grant the app access."
    case .assertion: "Check the account's name, its key, and this machine's clock."
    case .scope: "Check the scopes, and whether this kind of sign-in supports them."
    case .other: "Check the client's settings in the service's console."
    }
  }
}

extension SignInRenewal {
  /// The command that starts a new sign-in, by a person or with a credential that needs none.
  fileprivate func command(_ id: Identifier<Account>) -> String {
    switch self {
    case .person: "keyplan calendar sign-in \(id)"
    case .apply: "keyplan calendar sign-out \(id), then keyplan apply"
    }
  }
}

extension AccountIssue {
  func message(_ id: Identifier<Account>) -> Message {
    switch self {
    case .unreachable(let reason), .noSecret(let reason, _): Message("\"\(id)\": \(reason)")
    case .notAllowed(let reason, let hint): Message("\"\(id)\": \(reason)", hint: hint)
    case .refreshRefused(let refusal, let facts):
      Message("\"\(id)\": \(AccountMessages.refused(refusal, facts.service)).", hint: refusal.reason.hint)
    case .passwordRefused(let service):
      Message(
        "\(service.spoken) rejects the user name and password of \"\(id)\".",
        hint: "Correct the name, or the password at its source. Many services require an app password.")
    case .accessRefused(let service):
      Message(
        "\(service.spoken) does not allow \"\(id)\" to read calendars.",
        hint: "Ask the account's administrator to grant access to its calendars.")
    case .signInEnds(let forecast, let facts, let isOver):
      Message("The sign-in of \"\(id)\" \(forecast.words(facts, isOver: isOver)).", hint: forecast.cause.hint(id))
    case .policyEnds(let end, let isOver, let renewal):
      Message(
        "The sign-in of \"\(id)\" \(isOver ? "expired" : "expires") under its policy on \(end.date).",
        hint: renewal.command(id))
    case .calendar(let pick, let wanted):
      AccountMessages.message(pick, wanted ?? "", id) ?? Message("\"\(id)\" uses its calendar.")
    case .nothingToAdopt(let source):
      Message(
        "\"\(id)\" needs a sign-in, and there is no token at \(source) to adopt.",
        hint: "Correct the migration, or sign in: keyplan calendar sign-in \(id)")
    case .noToken(let source):
      Message(
        "There is no token for \"\(id)\" at \(source).",
        hint: "Put it there, or correct the reference.")
    case .tokenFailed(let source, let failure):
      Message("\(source) for \"\(id)\": \(failure.reason)", hint: failure.advice)
    case .exposed(let value):
      Message(
        "\(value.words("tokens were")). \(value.deadline.capitalizedFirst).",
        hint: "Sign out and in again: keyplan calendar sign-out \(id), then keyplan calendar sign-in \(id)")
    case .stillDeclared:
      Message(
        "The manifest still declares the calendar account \"\(id)\": the next plan asks for a sign-in.",
        hint: "To keep it signed out, remove it from the manifest.")
    case .notChecked(let gap): gap.message(id)
    }
  }
}

extension AccountIssue.Gap {
  fileprivate func message(_ id: Identifier<Account>) -> Message {
    let (reason, hint) =
      switch self {
      case .expired: ("The access token of \"\(id)\" has expired.", "keyplan calendar refresh \(id), before drift")
      case .notAllowed: ("\"\(id)\" uses hosts, files or commands that are not allowed yet.", "keyplan apply")
      case .planOnly:
        (
          "The identity in use can only plan, and does not open the token of \"\(id)\".",
          "Run drift with an identity that has full access."
        )
      case .neverSignedIn(let renewal): ("\"\(id)\" is not signed in yet.", renewal.command(id))
      case .signedInOtherwise(let renewal):
        ("\"\(id)\" was signed in for another account, client or address.", renewal.command(id))
      case .noToken: ("\"\(id)\" has no access token yet.", "keyplan apply")
      }
    // Of an account without a sign-in, that is its state.
    if case .neverSignedIn = self { return Message(reason, hint: hint) }
    return Message("\(reason) The state of the account is unknown.", hint: hint)
  }
}
