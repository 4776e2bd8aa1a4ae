internal import ArgumentParser

/// Calendar accounts.
struct CalendarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar",
    abstract: "Sign in to calendar accounts, keep them alive, and read them.",
    discussion: """
      The manifest declares accounts under calendars:. A person signs in once; after that tokens are refreshed without one, \
      by apply, by refresh from cron, and by whatever needs one. plan, drift and status only ask.

      For example:
        keyplan calendar sign-in work
        keyplan calendar status
      """,
    subcommands: [
      CalendarSignIn.self, CalendarSignOut.self, CalendarStatus.self, CalendarRefresh.self, CalendarList.self,
      CalendarEvents.self, CalendarToken.self,
    ]
  )
  .parsedAlone
}
