internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Deletes recorded values.
struct KeysPurge: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "Delete the earlier values of a key from the store, for good.",
    usage: "keyplan keys purge <name> [--all] [<options>]",
    discussion: """
      The history of the key, its deleted records and what they were encrypted to are overwritten and removed from \
      the store; nothing of it can be restored. Copies and backups of the store that were made before still have \
      the values: replace a value that has leaked at its provider.

      For example:
        keyplan keys purge openai-main
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  @Flag(help: "Also delete the current value, with the key's record.")
  var all = false

  @Flag(help: "Allow deleting the last key, or a protected or active key.")
  var allowForget = false

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    let key = try RecordedAddress.key(name, in: workspace, orForgotten: true)
    let edit = try await RecordEdit(workspace, .purge(key, isAll: all), allowingToForget: allowForget)
    if edit.isIdle, !terminal.isJSON {
      if !terminal.isQuiet { terminal.out.write("Nothing to delete: \(key.whole ?? key) has no earlier values.\n") }
      return ExitStatus.done.rawValue
    }
    return try await edit.carryOut(confirmation, as: "keyplan keys purge", on: terminal)
  }
}
