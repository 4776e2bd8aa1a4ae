internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations

/// A record's end.
struct StateForget: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Take a record out of the store. Nothing outside is touched.",
    usage: "keyplan state forget [<options>] <address>",
    discussion: """
      Values at targets stay where they are. A key can be restored for 30 days (keyplan state rollback); what the manifest \
      still declares comes back with the next apply.

      For example:
        keyplan state forget key.autumn
        keyplan state forget target.gone
      """)

  @Argument(help: "key.NAME, active.SLOT, target.NAME or target.NAME.ENTRY.", completion: DeclaredNames.addresses)
  var address: String

  @Flag(help: "Forget the last key, or a protected or active one.")
  var allowForget = false

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let address = try RecordedAddress.find(address, in: workspace)
    return try await RecordEdit(workspace, .forget(address), allowingToForget: allowForget).carryOut(
      confirmation, as: "keyplan state forget", on: terminal)
  }
}
