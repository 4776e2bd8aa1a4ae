internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Refreshes access tokens.
struct CalendarRefresh: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Refresh access tokens. Requires no interaction.",
    usage: "keyplan calendar refresh [<options>] (--all | <name>)",
    discussion: """
      For cron, before `keyplan drift`. --all refreshes tokens that expire within 5 minutes or were rejected; \
      naming an account forces a refresh. Only one process refreshes an account at a time, and new tokens are \
      stored before they are used. An outage changes nothing and exits with 8, unless --unreachable-after covers \
      it. If the service has ended a sign-in, the exit code is 6: sign in again.

      For example:
        keyplan calendar refresh --all --quiet --unreachable-after 2h
      """)

  @Argument(help: "An account's name.", completion: DeclaredNames.accounts)
  var name: String?

  @Flag(help: "Refresh all accounts whose tokens have expired, expire soon, or are rejected.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "With --all, ignore outages shorter than this, such as 2h. Outage times are kept in ~/.local/state.",
      valueName: "time"))
  var unreachableAfter: TimeoutArgument?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard all != (name != nil) else {
      throw Failure(.usage, "Account not specified", "Name one account, or use --all.")
    }
    guard unreachableAfter == nil || all else {
      throw Failure(.usage, "Account not specified", "--unreachable-after requires --all.")
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
