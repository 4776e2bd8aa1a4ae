internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Another first key of a slot.
struct KeysActivate: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate",
    abstract: "Make a key the first of a slot, in the manifest.",
    usage: "keyplan keys activate <name> [--slot <slot>] [<options>]",
    discussion: """
      A slot of one key has this one then. In a list the others stay behind it, to fall back on. With --environment the \
      choice is that overlay's alone.

      For example:
        keyplan keys activate claude --slot assistant
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.editableKeys)
  var name: String

  @Option(
    help: ArgumentHelp("The slot; without it the one that has this key, or the only one.", valueName: "slot"),
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
        terminal.out.write("Nothing to change: \(name) is the first of active.\(choice.slot) already.\n")
      }
      return ExitStatus.done.rawValue
    }
    return try edit.finish(
      files, on: terminal, done: "\(name) is the first of active.\(choice.slot)\(choice.isNew ? ", a new slot" : "").")
  }
}
