internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// The next access tokens.
struct CalendarRefresh: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Get the next access tokens, without a person.",
    usage: "keyplan calendar refresh [<options>] (--all | <name>)",
    discussion: """
      For cron, before `keyplan drift`. --all refreshes what has less than five minutes left, or is refused by its service; \
      a name, whatever it has. One process refreshes an account at a time, and what the service answers is stored before \
      it is used. An outage changes nothing: exit code 8, unless --unreachable-after lets it pass. A \
      sign-in that the service has ended needs a person: exit code 6.

      For example:
        keyplan calendar refresh --all --quiet --unreachable-after 2h
      """)

  @Argument(help: "An account's name.", completion: DeclaredNames.accounts)
  var name: String?

  @Flag(help: "All accounts whose tokens have expired, expire soon, or are rejected.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "With --all: let pass what could not be reached for less than this, such as 2h; since when is kept in ~/.local/state.",
      valueName: "time"))
  var unreachableAfter: TimeoutArgument?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard all != (name != nil) else {
      throw Failure(.usage, "Which account?", "Name one account, or say --all.")
    }
    guard unreachableAfter == nil || all else {
      throw Failure(.usage, "Which accounts?", "--unreachable-after goes with --all.")
    }
    let accounts = try await Accounts(in: world)
    let refreshing = RefreshRun(accounts, timeout: world.settings.lockTimeout)
    let rows =
      if let name {
        try await refreshing.one(try accounts.declared(name))
      } else {
        try await refreshing.all(lettingPass: unreachableAfter?.interval)
      }
    if terminal.isJSON {
      terminal.out.write(try Document.text(RefreshDocument(rows)))
    } else {
      let shown = terminal.isQuiet ? rows.filter { $0.failure != nil && $0.outage == nil } : rows
      terminal.out.write(
        RefreshText.render(shown, style: terminal.style(for: terminal.out), isQuiet: terminal.isQuiet))
    }
    return ExitStatus.worst(rows.filter { $0.outage == nil }.compactMap(\.failure?.status)).rawValue
  }
}
