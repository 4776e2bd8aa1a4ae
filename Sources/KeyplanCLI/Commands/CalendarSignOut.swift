internal import ArgumentParser
internal import KeyplanCore

/// keyplan is no longer let in.
struct CalendarSignOut: Command {
  static let configuration = CommandConfiguration(
    commandName: "sign-out",
    abstract: "Give an account's tokens back, and take its record out of the store.",
    discussion: """
      Google takes tokens back, and with them all that the account has granted to the same project. Microsoft takes none \
      back: there the tokens are forgotten, and the person takes the consent away in the account's settings.

      For example:
        keyplan calendar sign-out work
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let accounts = try await Accounts(options, in: world)
    let id = try accounts.recorded(name)
    return try await Amending(accounts.surroundings, .signOut(id)).carryOut(
      confirmation, as: "keyplan calendar sign-out")
  }
}
