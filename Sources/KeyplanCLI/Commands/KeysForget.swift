internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning

/// Deletes a key's record.
struct KeysForget: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete a key from the store. Targets, sources and the manifest are not changed.",
    usage: "keyplan keys forget <name> [<options>]",
    discussion: """
      Values at targets are not changed. The key can be restored for 30 days (keyplan keys rollback). If the manifest \
      still declares it, the next apply stores it again: keyplan keys remove removes it there.

      For example:
        keyplan keys forget autumn
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  @Flag(help: "Allow deleting the last key, or a protected or active key.")
  var allowForget = false

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    let key = try RecordedAddress.key(name, for: "forget", in: workspace)
    return try await RecordEdit(workspace, .forget(.key(key)), allowingToForget: allowForget).carryOut(
      confirmation, as: "keyplan keys forget", on: terminal)
  }
}
