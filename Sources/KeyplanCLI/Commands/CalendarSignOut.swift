internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations

/// keyplan is no longer let in.
struct CalendarSignOut: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out",
    abstract: "Revoke an account's tokens, and remove its record from the store.",
    usage: "keyplan calendar sign-out [<options>] <name>",
    discussion: """
      Google revokes with the tokens everything that the account has granted to the same project; so nothing is revoked while \
      another declared account is the same person's. Microsoft cannot revoke single tokens: they are forgotten here, and \
      access is removed in the account's settings.

      For example:
        keyplan calendar sign-out work
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let accounts = try await Accounts(in: world)
    let id = try accounts.recorded(name)
    return try await RecordEdit(accounts.workspace, .signOut(id)).carryOut(
      confirmation, as: "keyplan calendar sign-out", on: terminal)
  }
}
