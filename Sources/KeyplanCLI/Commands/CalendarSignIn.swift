internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A person lets keyplan in.
struct CalendarSignIn: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in",
    abstract: "Have a person sign in to an account, and store what the service grants.",
    discussion: """
      In a browser, keyplan waits on this machine for the service to send it back. Where the browser runs elsewhere, forward \
      the port that is shown, or paste the address that the browser ends at. With `signIn: device` a code is shown that is \
      typed in on any device. The tokens are sealed in the store; they are shown nowhere.

      For example:
        keyplan calendar sign-in work
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @Flag(help: "Show the address, and do not open a browser.")
  var noBrowser = false

  @Option(help: ArgumentHelp("How long to wait for the person; 10m without it.", valueName: "time"))
  var timeout: TimeoutArgument?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard !terminal.forbidsInput else {
      throw Failure(
        .usage, "Sign-in requires a person", "Asking was switched off by --no-input or KEYPLAN_NO_INPUT.",
        hint: "Sign in where somebody can open a browser. Later refreshes need nobody.")
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
    guard let lack = signingIn.completeness(of: grant) else { return recorded.status.rawValue }
    terminal.report(lack)
    return ExitStatus.worst(recorded.statuses + [lack.status]).rawValue
  }

  private func person(on terminal: Terminal, _ world: World) -> SignInRun.Person {
    var person = SignInRun.Person()
    if !noBrowser, let browser = WebBrowser(of: world, on: terminal) { person.openPage = { browser.open($0) } }
    if terminal.inputIsTerminal { person.terminal = STDIN_FILENO }
    return person
  }
}
