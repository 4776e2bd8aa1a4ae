internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Renames a key's record.
struct KeysMove: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Rename a key in the store. Its value and history are kept.",
    usage: "keyplan keys move <old> <new> [<options>]",
    discussion: """
      Changes this store only; keyplan keys rename changes the manifest, and with it every store at its next apply. \
      Slots and targets that use the record are updated. Rename the key in the manifest as well.

      For example:
        keyplan keys move openai openai-main
      """)

  @Argument(help: "The recorded key's name.", completion: DeclaredNames.keys)
  var old: String

  @Argument(help: "The new name.", completion: DeclaredNames.keys)
  var new: String

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let old = try RecordedAddress.key(old, in: workspace)
    guard let new = Identifier<Key>(whole: new.hasPrefix("key.") ? String(new.dropFirst("key.".count)) : new) else {
      throw Failure(.usage, "Invalid name", Failure.nameRule("A key"))
    }
    return try await RecordEdit(workspace, .move(old, to: new)).carryOut(
      confirmation, as: "keyplan keys move", on: terminal)
  }
}
