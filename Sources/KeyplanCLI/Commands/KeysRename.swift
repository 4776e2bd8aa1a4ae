internal import ArgumentParser
internal import KeyplanOperations

/// Renames a key in the manifest.
struct KeysRename: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename a key throughout the manifest. Its value and history are kept.",
    usage: "keyplan keys rename <old> <new> [<options>]",
    discussion: """
      Slots, targets, rules and overlays are updated. A new entry under `migrations` makes each store keep the \
      record under the new name.

      For example:
        keyplan keys rename openai openai-main
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.editableKeys)
  var old: String

  @Argument(help: "Its new name.")
  var new: String

  @OptionGroup var edit: EditOptions

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    var files = try ManifestFiles(in: world)
    try KeyRename(old: old, new: new).make(in: &files)
    return try edit.finish(
      files, on: terminal, done: "Renamed key.\(old) to key.\(new). Its value and history are kept.")
  }
}
