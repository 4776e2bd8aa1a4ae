/// What is so with an account, as half sentences for findings, steps and reasons.
public enum AccountWords {
  /// Why a person must sign in, as `Google refuses the refresh token (expired or revoked)`.
  public static func need(_ need: AccountNeed) -> String {
    let service = need.facts.service.spoken
    switch need.reason {
    case .never: return "nobody has signed in yet"
    case .changed: return "was signed in for another account, client or address"
    case .ended: return "\(service) refuses the refresh token (expired or revoked)"
    case .sessionEnded: return "\(service) wants a new sign-in: the organization's rule"
    case .personNeeded: return "\(service) wants the person: another factor, device or password"
    case .consentNeeded: return "\(service) says that access has not been agreed to"
    case .rotationLost: return "\(service) refuses the refresh token; the answer that had the next one was lost"
    case .testingEnded:
      return "\(service) ended the sign-in 7 days after consent, probably because the app is in testing; publish it, "
        + "then sign in again"
    case .notRefreshable: return "the access token is over, and there is no refresh token"
    case .scopesMissing: return Self.missing(need.missing)
    case .tooOld: return "the sign-in is past its end under its policy"
    }
  }

  /// The same as a sentence of its own.
  public static func sentence(_ need: AccountNeed) -> String {
    let words = Self.need(need)
    return words.prefix(1).uppercased() + words.dropFirst() + "."
  }

  /// The same for a sign-in that stood, with what its times tell.
  static func ended(_ reason: AccountNeed.Reason, _ facts: AccountFacts, _ signIn: SignInRecord?) -> String {
    let words = need(AccountNeed(facts: facts, reason: reason))
    guard reason == .ended || reason == .testingEnded, let signIn, let end = signIn.ended else { return words }
    let plain = "\(facts.service.spoken) refuses the refresh token"
    switch AccountEndCause(end, facts, signIn) {
    case .testing(let days): return "\(plain), \(days) days after consent: probably an app in testing mode"
    case .unused(let idle): return "\(plain), which nothing used for \(idle.spoken)"
    case .revoked: return words
    }
  }

  static func missing(_ signIn: SignInRecord?) -> String { missing(signIn?.missing ?? []) }

  private static func missing(_ scopes: [String]) -> String {
    scopes.isEmpty
      ? "the sign-in does not cover reading calendars" : "the sign-in does not cover \(scopes.joined(separator: ", "))"
  }

  /// What to say of a calendar that cannot be chosen, or that is called otherwise; nil for one that is chosen.
  public static func pick(
    _ pick: CalendarPick, wanted: String?, of id: Identifier<Account>
  ) -> (code: Diagnostic.Code, detail: String, hint: String?)? {
    let wanted = wanted ?? ""
    switch pick {
    case .chosen: return nil
    case .renamed(let calendar):
      return (
        .calendarRenamed, "The calendar \"\(wanted)\" of \"\(id)\" is called \"\(calendar.name)\" now.",
        "It is used as before. Write its new name, or its id, which stays: \(calendar.id)"
      )
    case .gone(let calendar):
      return (
        .calendarMissing, "The calendar \"\(calendar.name)\" of \"\(id)\" is gone.",
        "Name another one, or have it shared with the account again."
      )
    case .unknown(let nearest):
      return (
        .calendarMissing, "The account \"\(id)\" has no calendar \"\(wanted)\".",
        nearest.map { "Did you mean \"\($0)\"?" } ?? "keyplan calendar list \(id)"
      )
    case .ambiguous(let ids):
      return (
        .calendarUnclear, "The account \"\(id)\" has \(ids.count) calendars named \"\(wanted)\".",
        "Name one by its id: \(ids.prefix(8).joined(separator: ", "))"
      )
    case .open(let calendars) where calendars.isEmpty:
      return (.calendarUnclear, "The account \"\(id)\" has no calendar.", nil)
    case .open(let calendars):
      return (
        .calendarUnclear, "The account \"\(id)\" has no calendar of its own, and none is named.",
        "Name one of them: \(calendars.prefix(8).map(\.name).joined(separator: ", "))"
      )
    }
  }
}
