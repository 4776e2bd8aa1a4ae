internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows the state of accounts.
struct CalendarStatus: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of each account and what to do next.",
    usage: "keyplan calendar status [<options>] [<name>]",
    discussion: """
      Checks the stored tokens with the services; refreshes nothing. *granted* means that the service has \
      confirmed the token. *expired* means that there is no valid access token; only a refresh shows whether the \
      sign-in is still valid. Exits with 6 if a sign-in is required, and with 8 if a service was unreachable and \
      there is no other error.

      For example:
        keyplan calendar status --json
      """)

  @Argument(help: "An account's name (default: all accounts).", completion: DeclaredNames.accounts)
  var name: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let accounts = try await Accounts(in: world)
    let statuses = try await accounts.statuses(of: try name.map { try accounts.declared($0) })
    if terminal.isJSON {
      terminal.out.write(
        try Document.text(
          AccountStatusDocument(
            statuses, environment: accounts.workspace.place.environment, store: accounts.workspace.recorded.store)
        ))
    } else {
      terminal.out.write(
        AccountStatusText.render(statuses, style: terminal.style(for: terminal.out), at: world.now))
    }
    return ExitStatus.worst(statuses.map(\.exit)).rawValue
  }
}
