internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// How accounts stand.
struct CalendarStatus: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of each account, why, and what to do next.",
    usage: "keyplan calendar status [<options>] [<name>]",
    discussion: """
      The services are asked, with the tokens that are there; nothing is refreshed. *granted* is said only of an account whose \
      service has answered; *expired* says that there is no valid access token: only a refresh shows whether the next one can \
      be had. Exit code 6 if a person is needed, 8 if a \
      service could not be reached and nothing else is wrong.

      For example:
        keyplan calendar status --json
      """)

  @Argument(help: "An account's name. Without it: all.", completion: DeclaredNames.accounts)
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
