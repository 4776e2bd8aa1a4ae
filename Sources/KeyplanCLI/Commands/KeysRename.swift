internal import ArgumentParser
internal import KeyplanOperations

/// Another name for a key.
struct KeysRename: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a key of the manifest another name, wherever it stands, and keep its value and history.",
    usage: "keyplan keys rename <old> <new> [<options>]",
    discussion: """
      Slots, targets, rules and overlays get the new name too. An entry under `migrations` tells each store to keep what \
      it has under the old one.

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
      files, on: terminal, done: "Renamed key.\(old) to key.\(new); its value and history come along.")
  }
}
