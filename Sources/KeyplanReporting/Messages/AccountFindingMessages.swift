package import KeyplanCore

/// What follows from a finding about a calendar account, and what mends it.
package struct AccountFindingMessages {
  package let consequence: String?
  package let command: String?
  package let mending: String

  package init(_ finding: Finding) {
    let name = if case .calendar(let id) = finding.address { id.name } else { "NAME" }
    let (signIn, refresh) = ("keyplan calendar sign-in \(name)", "keyplan calendar refresh \(name)")
    let dead = "its calendars cannot be read"
    switch finding.kind {
    case .testingEnded:
      (consequence, command, mending) = (dead, signIn, "and publish the app, or this returns every week")
    case .otherAccount:
      (consequence, command, mending) = ("its tokens are not used", signIn, "signs in to the declared one")
    case .scopesReduced: (consequence, command, mending) = (dead, signIn, "and agree to all that is asked")
    case .tokenRefused:
      (consequence, command, mending) = (dead, refresh, "gets the next one, or reports that the sign-in has ended")
    case .passwordRefused:
      consequence = dead
      (command, mending) = (nil, "correct the password at its source; many services want an app password")
    case .rotationLost:
      consequence = "where the service replaces its tokens with each use, nobody has the present one"
      (command, mending) = (refresh, "tries the one that is stored")
    case .signInEndsSoon, .signInTooOld: (consequence, command, mending) = (nil, signIn, "begins anew")
    case .signInUnused: (consequence, command, mending) = (nil, refresh, "uses it")
    case .calendarGone:
      consequence = dead
      (command, mending) = (nil, "name another one in the manifest, or have it shared again")
    case .calendarRenamed: (consequence, command, mending) = (nil, "keyplan apply", "records the new name")
    case .calendarMisnamed:
      consequence = "it is used as before, by its id"
      (command, mending) = (nil, "write the new name, or the id, in the manifest")
    case .calendarChanged: (consequence, command, mending) = (nil, "keyplan apply", "uses that one")
    case .calendarUnclear:
      consequence = "nobody can tell which one is meant"
      (command, mending) = (nil, "name it by its id in the manifest")
    default: (consequence, command, mending) = (dead, signIn, "signs in again")
    }
  }
}
