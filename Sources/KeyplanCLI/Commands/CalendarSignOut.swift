internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning

/// Revokes and deletes an account's tokens.
struct CalendarSignOut: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out",
    abstract: "Revoke an account's tokens and remove them from the store.",
    usage: "keyplan calendar sign-out [<options>] <name>",
    discussion: """
      Google revokes everything that the account has granted to the same project along with the tokens, so nothing \
      is revoked while another declared account belongs to the same person. Microsoft has no revocation endpoint: \
      the tokens are deleted here, and you remove access in the account's settings.

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
