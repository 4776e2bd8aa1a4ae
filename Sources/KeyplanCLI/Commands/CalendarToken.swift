internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Prints an access token for other programs.
struct CalendarToken: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print a short-lived access token.",
    usage: "keyplan calendar token [<options>] <name>",
    discussion: """
      For programs that call the service themselves. An expired or rejected token is refreshed first; if several \
      processes ask at once, only one refreshes. The token is printed without a newline. On a terminal it is shown \
      only with --reveal.

      For example, without passing it as a program's argument, which all users of the machine can read:
        (printf 'Authorization: Bearer '; keyplan calendar token work) |
          curl -H @- https://graph.microsoft.com/v1.0/me/calendars
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @Flag(help: "Allow printing the token to a terminal.")
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
