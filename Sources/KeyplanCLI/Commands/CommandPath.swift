internal import ArgumentParser

/// The command that the first words of a command line name.
struct CommandPath {
  /// The command, or the group in which the next word names none.
  private(set) var command: any ParsableCommand.Type = Keyplan.self
  /// `keyplan keys rollback`
  private(set) var text = "keyplan"
  /// The words after those.
  private(set) var rest: ArraySlice<String>

  /// The path in a request for help: `keyplan help plan`, or `keyplan plan --help`.
  init(helpedIn words: [String]) { self.init(words.first == "help" ? words.dropFirst() : words[...]) }

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
