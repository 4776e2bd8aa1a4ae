internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Signs in to an account.
struct CalendarSignIn: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in",
    abstract: "Sign in to an account and store its tokens.",
    discussion: """
      For a sign-in in a browser, keyplan listens on this machine for the redirect from the service. If the \
      browser runs elsewhere, forward the port that is shown, or paste the address of the page on which the \
      browser ends. With `signIn: device`, you enter a code on any device instead. Tokens are encrypted in the \
      store and never shown.

      For example:
        keyplan calendar sign-in work
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @Flag(help: "Print the address instead of opening a browser.")
  var noBrowser = false

  @Option(help: ArgumentHelp("How long to wait for the sign-in (default: 10m).", valueName: "time"))
  var timeout: TimeoutArgument?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard !terminal.forbidsInput else {
      throw Failure(
        .usage, "Sign-in is interactive", "--no-input or KEYPLAN_NO_INPUT is set.",
        hint: "Sign in on a machine with a browser. Later refreshes require no interaction.")
    }
    let accounts = try await Accounts(in: world)
    let id = try accounts.declared(name)
    let signingIn = try await SignInRun(
      id, accounts, by: person(on: terminal, world), within: timeout?.duration ?? .seconds(600))
    let grant = try await signingIn.grant()
    try await signingIn.check(grant)
    let recorded = try await accounts.record(grant, of: id, timeout: world.settings.lockTimeout) { plan in
      Progress(plan, on: terminal).listener()
    }
    try terminal.show(recorded)
    if let unpinned = recorded.unpinned { terminal.report(unpinned) }
    let lacks = [signingIn.completeness(of: grant), signingIn.permanence(of: grant)].compactMap(\.self)
    for lack in lacks { terminal.report(lack) }
    return ExitStatus.worst(recorded.statuses + lacks.map(\.status)).rawValue
  }

  private func person(on terminal: Terminal, _ world: World) -> SignInRun.Person {
    var person = SignInRun.Person()
    if !noBrowser, let browser = WebBrowser(of: world, on: terminal) { person.openPage = { browser.open($0) } }
    if terminal.inputIsTerminal { person.terminal = STDIN_FILENO }
    return person
  }
}
