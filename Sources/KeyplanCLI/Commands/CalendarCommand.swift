internal import ArgumentParser

/// Commands for calendar accounts.
struct CalendarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar",
    abstract: "Sign in to calendar accounts, refresh their tokens, and read calendars.",
    discussion: """
      The manifest declares accounts under `calendars`. You sign in once; after that, apply, `calendar refresh` \
      (from cron) and any command that needs a token refresh it without interaction. plan, drift and status never \
      refresh tokens.

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
