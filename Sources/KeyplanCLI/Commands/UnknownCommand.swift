internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanReporting

/// An unknown command name. The parser would report it as an unexpected argument, without a suggestion.
struct UnknownCommand {
  let word: String
  /// The command group: `keyplan keys`.
  let group: String
  /// The commands of the group.
  let names: [String]

  /// Nil if every word up to the first option names a command or is an argument of one.
  static func find(in arguments: [String]) -> UnknownCommand? {
    let path = CommandPath(arguments[...])
    let commands = path.command.configuration.subcommands
    guard let word = path.rest.first, !word.hasPrefix("-"), !commands.isEmpty else { return nil }
    return UnknownCommand(word: word, group: path.text, names: commands.compactMap { $0.configuration.commandName })
  }

  var failure: Failure {
    Failure(
      .usage, "Wrong usage", "`\(group)` has no command '\(word)'.",
      hint: other ?? Suggestion.nearest(to: word, among: names).map { "Did you mean '\($0)'?" } ?? "\(group) --help")
  }

  /// The equivalent of a command that other tools have under this name.
  private var other: String? {
    guard group == "keyplan" else { return nil }
    switch word {
    case "add", "new": return "keyplan keys add NAME --provider PROVIDER"
    case "set", "rotate", "revoke", "remove", "activate": return "keyplan keys \(word) NAME"
    case "rm", "delete": return "keyplan keys remove NAME"
    case "mv", "rename": return "keyplan keys rename NAME NEW"
    case "list", "ls": return "keyplan keys"
    case "status": return "keyplan drift, or keyplan show"
    case "diff", "preview": return "keyplan plan"
    case "up", "sync", "deploy": return "keyplan apply"
    case "export": return "keyplan env"
    case "exec": return "keyplan run -- COMMAND"
    case "check", "lint": return "keyplan validate"
    case "import": return "keyplan init --from FILE"
    case "history", "purge", "forget": return "keyplan state \(word) NAME"
    case "rollback": return "keyplan state rollback NAME --to VERSION"
    case "login", "signin", "sign-in": return "keyplan calendar sign-in NAME"
    case "version": return "keyplan --version"
    default: return nil
    }
  }
}
