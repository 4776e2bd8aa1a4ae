internal import ArgumentParser

/// The command that the first words of a command line name.
struct CommandPath {
  /// The command, or the group in which the next word names none.
  private(set) var command: any ParsableCommand.Type = Keyplan.self
  /// `keyplan state rollback`
  private(set) var text = "keyplan"
  /// The words after those.
  private(set) var rest: ArraySlice<String>

  init(_ words: ArraySlice<String>) {
    rest = words
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
    {
      command = next
      text += " " + word
      rest.removeFirst()
    }
  }
}
