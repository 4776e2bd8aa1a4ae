internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Deletes a record that is not a key's.
struct RecordsForget: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete the record of a slot, a target, one of its names, or an account.",
    usage: "keyplan records forget <address> [<options>]",
    discussion: """
      Values at targets are not changed, and tokens of accounts are not revoked at their service. If the manifest still \
      declares the record, the next apply creates it again.

      For example:
        keyplan records forget target.gone
        keyplan records forget target.app.OLD_NAME
      """)

  @Argument(
    help: "active.SLOT, target.NAME, target.NAME.ENTRY or calendar.NAME.", completion: DeclaredNames.otherAddresses)
  var address: String

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    try requireForgettable()
    let address = try RecordedAddress.find(address, .others, for: "forget", in: workspace)
    return try await RecordEdit(workspace, .forget(address)).carryOut(
      confirmation, as: "keyplan records forget", on: terminal)
  }

  /// Recipients, permissions and rules end with their declaration.
  private func requireForgettable() throws(Failure) {
    switch Address(address) {
    case .recipients, .surface, .rules:
      throw Failure(
        .usage, "Follows the manifest", "\(address) is recorded as the manifest declares it.",
        hint: "Change the manifest, and run keyplan apply.")
    case .key, .slot, .target, .entry, .calendar, .migration, .store, nil: break
    }
  }
}
