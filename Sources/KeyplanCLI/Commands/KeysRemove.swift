internal import ArgumentParser
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

  func run(in world: World) async throws -> Int32 {
    var files = try edit.files(options, in: world)
    try KeyRemoval(key: name, successor: activate).make(in: &files)
    return try edit.finish(
      files, options, in: world, confirming: { () throws(Failure) in if !yes { try ask(in: world) } },
      told: "Removed key.\(name). Its value leaves the store, and targets, with the next apply.")
  }

  private func ask(in world: World) throws(Failure) {
    guard options.mayAsk(in: world) else {
      throw Failure(
        .usage, "Nobody can be asked", "This is no terminal, or asking was switched off. Nothing was written.",
        hint: "Say --yes; --dry-run only shows the difference.")
    }
    let question = "Remove \(name)? Its value leaves the store, and targets, with the next apply.\n"
    guard try Prompt.confirms(question + "Only `yes` is taken: ") else {
      throw Failure(.interrupted, "Not removed", "Nothing was written.")
    }
  }
}
