internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// An access token for other programs.
struct CalendarToken: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print a short-lived access token.",
    usage: "keyplan calendar token [<options>] <name>",
    discussion: """
      For programs that call the service themselves. A token that has expired, or that the service refuses, is refreshed first; \
      many processes may ask at once, and one of them refreshes. Nothing is added to the token. On a terminal it is shown only with --reveal.

      For example, with nothing of it among a program's arguments, which all users of the machine can read:
        (printf 'Authorization: Bearer '; keyplan calendar token work) |
          curl -H @- https://graph.microsoft.com/v1.0/me/calendars
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @Flag(help: "Show the token although standard output is a terminal.")
  var reveal = false

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    try Reveal.check(reveal, on: terminal)
    let accounts = try await Accounts(in: world)
    let token = try await accounts.token(of: try accounts.declared(name), timeout: world.settings.lockTimeout)
    token.withBytes { terminal.out.writeWhole($0) }
    return ExitStatus.done.rawValue
  }
}
