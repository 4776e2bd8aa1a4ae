internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanSecrets

/// An access token for other programs.
struct CalendarToken: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Write an access token that is good for some minutes to standard output.",
    discussion: """
      For programs that speak to the service themselves. A token that is over is refreshed first; many processes may ask at \
      once, and one of them refreshes. Nothing is added to the token. On a terminal it is shown only with --reveal.

      For example, with nothing of it among a program's arguments, which all users of the machine can read:
        (printf 'Authorization: Bearer '; keyplan calendar token work) |
          curl -H @- https://graph.microsoft.com/v1.0/me/calendars
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @Flag(help: "Show the token although standard output is a terminal.")
  var reveal = false

  @Option(help: ArgumentHelp("How long to wait while somebody else holds a lock; 2m without it.", valueName: "time"))
  var lockTimeout: Patience?

  @OptionGroup var text: TextOptions

  func run(in world: World) async throws -> Int32 {
    try Reveal.check(reveal, in: world)
    let accounts = try await Accounts(options, in: world)
    let token = try await accounts.token(of: try accounts.declared(name), timeout: lockTimeout)
    let isWritten = token.withBytes { world.out.write($0) }
    guard isWritten else { throw Failure(.failed, "Token was not written", "Standard output took only part of it.") }
    return ExitStatus.done.rawValue
  }
}
