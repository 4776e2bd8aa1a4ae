internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// A key that leaves the manifest.
struct KeysRemove: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take a key out of the manifest, with what speaks of it there. Its value goes with the next apply.",
    usage: "keyplan keys remove <name> [--activate <key>] [<options>]",
    discussion: """
      Entries of targets and lists lose the key. A slot that has no other one needs --activate. Where nobody can be asked \
      (CI, a pipe, --no-input), say --yes.

      For example:
        keyplan keys remove old-openai --activate openai-main
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.editableKeys)
  var name: String

  @Option(
    help: ArgumentHelp("The key that takes its place in slots that have no other.", valueName: "key"),
    completion: DeclaredNames.editableKeys)
  var activate: String?

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
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
      orSay: "Say --yes; --dry-run only shows the difference.",
      declined: Failure(.interrupted, "Not removed", "Nothing was written."))
  }
}
