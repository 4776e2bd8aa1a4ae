internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Removes a key from the manifest.
struct KeysRemove: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a key and its references from the manifest. The next apply deletes its value.",
    usage: "keyplan keys remove <name> [--activate <key>] [<options>]",
    discussion: """
      The key is removed from the entries of targets and from lists. A slot that has no other key requires \
      --activate. Without a terminal (CI, a pipe, --no-input), pass --yes.

      For example:
        keyplan keys remove old-openai --activate openai-main
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.editableKeys)
  var name: String

  @Option(
    help: ArgumentHelp("The key that replaces it in slots that have no other.", valueName: "key"),
    completion: DeclaredNames.editableKeys)
  var activate: String?

  @Flag(name: [.customShort("y"), .long], help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var edit: EditOptions

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    var files = try ManifestFiles(in: world)
    try KeyRemoval(key: name, successor: activate).make(in: &files)
    return try edit.finish(
      files, on: terminal, confirming: { () throws(Failure) in if !yes { try ask(on: terminal) } },
      done: "Removed key.\(name). The next apply deletes its value from the store and from targets.")
  }

  private func ask(on terminal: Terminal) throws(Failure) {
    try terminal.confirm(
      "Remove \(name)? The next apply deletes its value from the store and from targets.\n",
      orSay: "Pass --yes, or use --dry-run to see the difference.",
      declined: Failure(.interrupted, "Not removed", "Nothing was written."))
  }
}
