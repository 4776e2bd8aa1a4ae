internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanReporting

/// A word where a command's name belongs. The parser takes it for one argument too many, and suggests nothing.
struct UnknownCommand {
  let word: String
  /// The group whose command it should be: `keyplan keys`.
  let group: String
  /// The names that it may have been meant for.
  let names: [String]

  /// Nil where every word up to the first option names a command, or belongs to one.
  static func find(in arguments: [String]) -> UnknownCommand? {
    find(in: arguments[...], below: Keyplan.self, "keyplan")
  }

  private static func find(
    in arguments: ArraySlice<String>, below group: any ParsableCommand.Type, _ name: String
  ) -> UnknownCommand? {
    let commands = group.configuration.subcommands
    guard let word = arguments.first, !word.hasPrefix("-"), !commands.isEmpty else { return nil }
    if let next = commands.first(where: { $0.configuration.commandName == word }) {
      return find(in: arguments.dropFirst(), below: next, "\(name) \(word)")
    }
    return UnknownCommand(word: word, group: name, names: commands.compactMap { $0.configuration.commandName })
  }

  var failure: Failure {
    Failure(
      .usage, "Wrong usage", "`\(group)` has no command '\(word)'.",
      hint: other ?? Suggestion.nearest(to: word, among: names).map { "Did you mean '\($0)'?" } ?? "\(group) --help")
  }

  /// What the word is in keyplan, where other tools have a command of that name.
  private var other: String? {
    guard group == "keyplan" else { return nil }
    switch word {
    case "set": return "keyplan keys set NAME"
    case "list", "ls": return "keyplan keys"
    case "status": return "keyplan drift, or: keyplan show"
    case "version": return "keyplan --version"
    default: return nil
    }
  }
}
