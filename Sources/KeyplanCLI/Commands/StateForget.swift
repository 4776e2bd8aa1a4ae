internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning

/// Deletes a record.
struct StateForget: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete a record from the store. Targets and sources are not changed.",
    usage: "keyplan state forget [<options>] <address>",
    discussion: """
      Values at targets are not changed. A key can be restored for 30 days (keyplan state rollback). If the \
      manifest still declares the record, the next apply creates it again.

      For example:
        keyplan state forget key.autumn
        keyplan state forget target.gone
      """)

  @Argument(help: "key.NAME, active.SLOT, target.NAME or target.NAME.ENTRY.", completion: DeclaredNames.addresses)
  var address: String

  @Flag(help: "Allow deleting the last key, or a protected or active key.")
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
