internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Makes a key the first choice of a slot.
struct KeysActivate: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate",
    abstract: "Make a key the first choice of a slot in the manifest.",
    usage: "keyplan keys activate <name> [--slot <slot>] [<options>]",
    discussion: """
      A slot with a single key gets this one instead. In a list the other keys follow it as fallbacks. With \
      --environment, only that overlay is changed.

      For example:
        keyplan keys activate claude --slot assistant
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.editableKeys)
  var name: String

  @Option(
    help: ArgumentHelp("The slot (default: the slot with this key, or the only one).", valueName: "slot"),
    completion: DeclaredNames.editableSlots)
  var slot: String?

  @OptionGroup var edit: EditOptions

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    var files = try ManifestFiles(in: world)
    try DeclaredKey.checkVisible(name, in: files)
    let choice = try SlotChoice(name, named: slot, in: files)
    for note in choice.notes(files) { terminal.err.write("note: \(note)\n") }
    guard try choice.make(in: &files) else {
      if !terminal.isQuiet {
        terminal.out.write("Nothing to change: \(name) is already the first of active.\(choice.slot).\n")
      }
      return ExitStatus.done.rawValue
    }
    return try edit.finish(
      files, on: terminal, done: "\(name) is the first of active.\(choice.slot)\(choice.isNew ? ", a new slot" : "").")
  }
}
