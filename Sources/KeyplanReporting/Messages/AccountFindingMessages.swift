internal import KeyplanModel
internal import KeyplanPlanning

/// The text of a finding about a calendar account: the state, its consequence, and the fix.
struct AccountFindingMessages {
  let headline: String
  let consequence: String?
  let command: String?
  let fix: String

  private static let unreadable = "its calendars cannot be read"

  init(_ finding: Finding, _ style: Style) {
    let name = if case .calendar(let id) = finding.address { id.name } else { "NAME" }
    headline = Self.headline(finding.fact, style)
    switch finding.kind {
    case .testingEnded:
      consequence = Self.unreadable
      (command, fix) = (Self.signIn(name), "and publish the app, or this returns every week")
    case .otherAccount:
      consequence = "its tokens are not used"
      (command, fix) = (Self.signIn(name), "signs in to the declared one")
    case .scopesReduced:
      consequence = Self.unreadable
      (command, fix) = (Self.signIn(name), "and agree to all that is asked")
    case .tokenRefused:
      consequence = Self.unreadable
      (command, fix) = (Self.refresh(name), "gets a new one, or reports that the sign-in has ended")
    case .refreshRefused:
      consequence = Self.untilWhen(finding.fact, style)
      command = Self.refresh(name)
      fix = if case .refreshRefused(let refusal, _, _) = finding.fact { Self.afterwards(refusal) } else { "" }
    case .passwordRefused:
      consequence = Self.unreadable
      (command, fix) = (nil, "correct the password at its source; many services require an app password")
    case .accessRefused:
      consequence = Self.unreadable
      (command, fix) = (nil, "ask the account's administrator to grant access to its calendars")
    case .rotationLost:
      consequence = "if the service replaces its tokens with each use, the stored one is no longer valid"
      (command, fix) = (Self.refresh(name), "tries the one that is stored")
    case .signInEndsSoon, .signInTooOld:
      consequence = nil
      (command, fix) = (Self.signIn(name), "starts a new sign-in")
    case .signInUnused:
      consequence = nil
      (command, fix) = (Self.refresh(name), "uses it")
    case .calendarGone:
      consequence = Self.unreadable
      (command, fix) = (nil, "name another one in the manifest, or have it shared again")
    case .calendarRenamed:
      consequence = nil
      (command, fix) = ("keyplan apply", "records the new name")
    case .calendarMisnamed:
      consequence = "it is still used, by its id"
      (command, fix) = (nil, "write the new name, or the id, in the manifest")
    case .calendarChanged:
      consequence = nil
      (command, fix) = ("keyplan apply", "uses that one")
    case .calendarUnclear:
      consequence = "it is unknown which one is meant"
      (command, fix) = (nil, "name it by its id in the manifest")
    default:
      consequence = Self.unreadable
      (command, fix) = (Self.signIn(name), "signs in again")
    }
  }

  private static func untilWhen(_ fact: FindingFact, _ style: Style) -> String {
    guard case .refreshRefused(_, _, let until?) = fact else { return unreadable }
    return "\(unreadable) after \(style.time(until)), when the access token expires"
  }

  private static func afterwards(_ refusal: AccountRefusal) -> String {
    "tries again, once it is fixed. \(refusal.reason.hint)"
  }

  private static func signIn(_ name: String) -> String { "keyplan calendar sign-in \(name)" }
  private static func refresh(_ name: String) -> String { "keyplan calendar refresh \(name)" }

  private static func headline(_ fact: FindingFact, _ style: Style) -> String {
    switch fact {
    case .passwordRefused(let service): "\(service.spoken) rejects the user name and password"
    case .accessRefused(let service): "\(service.spoken) does not allow it to read calendars"
    case .tokenRefused(let service): "\(service.spoken) rejects the access token, which has not expired"
    case .signInNeeded(let need, let cause): AccountMessages.ended(need, cause)
    case .refreshRefused(let refusal, let service, _): AccountMessages.refused(refusal, service, style)
    case .answerLost(let began): "a refresh was sent at \(style.time(began)), and its answer was lost"
    case .signInEnds(let forecast, let facts, let isOver): "the sign-in \(forecast.words(facts, isOver: isOver))"
    case .policyEnds(let end, let isOver):
      "the sign-in \(isOver ? "expired" : "expires") under its policy on \(end.date)"
    case .calendarRenamed(let old, let new, _): "the calendar \"\(old)\" is now called \"\(new)\""
    case .calendarGone(let name?): "the calendar \"\(name)\" is gone"
    case .calendarGone(nil): "the account's own calendar is gone"
    case .ownCalendarChanged(let name): "the account's own calendar is now \"\(name)\""
    case .calendarNameMoved(let name): "the name \"\(name)\" now belongs to another calendar"
    case .calendarReplaced(let name): "the calendar \"\(name)\" is gone, and another one has its name"
    case .calendarUnclear(let name, let count): "\(count) calendars are now called \"\(name)\""
    default: "changed"
    }
  }
}
