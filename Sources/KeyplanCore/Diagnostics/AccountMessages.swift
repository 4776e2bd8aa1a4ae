/// What is so with an account, as half sentences for findings, steps and reasons.
public enum AccountMessages {
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
    case .otherAccount:
      let found = need.found.map { "for \($0)" } ?? "for another account"
      return "the sign-in is \(found), and \(need.facts.account) is declared"
    case .notRefreshable: return "the access token has expired, and there is no refresh token"
    case .scopesMissing: return Self.missing(need.missing)
    case .tooOld: return "the sign-in has expired under its policy"
    }
  }

  /// The command that has somebody sign in anew, or lets a credential that needs nobody begin anew.
  public static func renewal(_ id: Identifier<Account>, _ account: Account) -> String {
    account.signIn.needsPerson
      ? "keyplan calendar sign-in \(id)" : "keyplan calendar sign-out \(id), then keyplan apply"
  }

  /// The same as a sentence of its own.
  public static func sentence(_ need: AccountNeed) -> String {
    let words = Self.need(need)
    return words.prefix(1).uppercased() + words.dropFirst() + "."
  }

  /// The same for a sign-in that stood, with what its times tell.
  static func ended(_ need: AccountNeed, _ signIn: SignInRecord?) -> String {
    let words = Self.need(need)
    guard need.reason == .ended || need.reason == .testingEnded, let signIn, let end = signIn.ended else {
      return words
    }
    let plain = "\(need.facts.service.spoken) refuses the refresh token"
    switch AccountEndCause(end, need.facts, signIn) {
    case .testing(let days): return "\(plain), \(days) days after consent: probably an app in testing mode"
    case .unused(let idle): return "\(plain), which nothing used for \(idle.spoken)"
    case .revoked: return words
    }
  }

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
