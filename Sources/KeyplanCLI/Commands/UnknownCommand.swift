internal import ArgumentParser
internal import KeyplanCore

/// A word where a command's name belongs. The parser takes it for one argument too many, and suggests nothing.
struct UnknownCommand: CustomStringConvertible {
  let word: String
  /// The names that it may have been meant for.
  let names: [String]

  /// Nil where every word up to the first option names a command, or belongs to one.
  static func find(in arguments: [String]) -> UnknownCommand? { find(in: arguments[...], below: Keyplan.self) }

  private static func find(
    in arguments: ArraySlice<String>, below group: any ParsableCommand.Type
  ) -> UnknownCommand? {
    let commands = group.configuration.subcommands
    guard let word = arguments.first, !word.hasPrefix("-"), !commands.isEmpty else { return nil }
    if let next = commands.first(where: { $0.configuration.commandName == word }) {
      return find(in: arguments.dropFirst(), below: next)
    }
    return UnknownCommand(word: word, names: commands.compactMap { $0.configuration.commandName })
  }

  var description: String {
    let near = Suggestion.nearest(to: word, among: names).map { " Did you mean '\($0)'?" }
    return "error: No command is called '\(word)'.\(near ?? "")"
  }
}
