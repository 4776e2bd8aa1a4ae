internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanReporting

/// An unknown command name. The parser would report it as an unexpected argument, without a suggestion.
struct UnknownCommand {
  let word: String
  /// The words after it, without options of which nothing is known.
  let rest: [String]
  /// The command group: `keyplan keys`.
  let group: String
  /// The commands of the group.
  let names: [String]

  /// Nil if every word up to the first option names a command or is an argument of one.
  static func find(in arguments: [String]) -> UnknownCommand? {
    let path = CommandPath(arguments[...])
    let commands = path.command.configuration.subcommands
    guard let word = path.rest.first, !word.hasPrefix("-"), !commands.isEmpty else { return nil }
    return UnknownCommand(
      word: word, rest: Array(path.rest.dropFirst()), group: path.text,
      names: commands.compactMap { $0.configuration.commandName })
  }

  var failure: Failure {
    Failure(
      .usage, "Wrong usage",
      TypedWord(word).isShown ? "`\(group)` has no command '\(word)'." : "`\(group)` has no such command.", hint: hint)
  }

  /// The command that is meant.
  var hint: String {
    other ?? Suggestion.nearest(to: word, among: names).map { "Did you mean '\($0)'?" }
      ?? "\(group) --help"
  }

  /// The equivalent of a command that other tools, or earlier versions, have under this name. It is only named: a word that means
  /// something else to somebody must not change anything.
  private var other: String? {
    if group == "keyplan", word == "state" { return FormerState(rest).hint }
    return Self.others[group]?[word].map(filled)
  }

  /// By group and by word.
  static let others: [String: [String: String]] = [
    "keyplan": top.merging(keys) { own, _ in own }, "keyplan keys": keys, "keyplan records": records,
    "keyplan identity": identity, "keyplan store": store, "keyplan calendar": calendar,
  ]

  /// With the name or address that was typed.
  private func filled(_ hint: String) -> String {
    guard let typed = rest.first else { return hint }
    if Address(typed) != nil, hint.hasSuffix(" ADDRESS") {
      return "`\(hint.replacing(" ADDRESS", with: " \(ShellWord.quoted(typed))"))`"
    }
    guard Identifier<Key>(typed) != nil, hint.hasPrefix("keyplan "), hint.contains(" NAME") else { return hint }
    let next = rest.dropFirst().first.flatMap { Identifier<Key>($0) == nil ? nil : $0 }
    return "`\(hint.replacing(" NAME", with: " \(typed)").replacing(" NEW", with: " \(next ?? "NEW")"))`"
  }

  private static let top: [String: String] = [
    "diff": "keyplan plan", "preview": "keyplan plan", "dry-run": "keyplan plan", "up": "keyplan apply",
    "sync": "keyplan apply", "deploy": "keyplan apply", "push": "keyplan apply", "pull": "keyplan apply",
    "status": "keyplan drift, or keyplan show", "info": "keyplan show", "exec": "keyplan run -- COMMAND",
    "start": "keyplan run -- COMMAND", "shell": "keyplan run -- COMMAND", "export": "keyplan env",
    "printenv": "keyplan env", "check": "keyplan validate", "lint": "keyplan validate", "format": "keyplan fmt",
    "import": "keyplan init --from FILE", "setup": "keyplan init", "read": "keyplan get NAME",
    "decrypt": "keyplan get NAME", "reveal": "keyplan get NAME", "login": "keyplan calendar sign-in NAME",
    "signin": "keyplan calendar sign-in NAME", "sign-in": "keyplan calendar sign-in NAME",
    "logout": "keyplan calendar sign-out NAME", "signout": "keyplan calendar sign-out NAME",
    "sign-out": "keyplan calendar sign-out NAME", "whoami": "keyplan identity show",
    "keygen": "keyplan identity new", "rekey": "keyplan store rekey", "key": "keyplan keys",
    "secret": "keyplan keys", "secrets": "keyplan keys", "record": "keyplan records", "lock": "keyplan unlock",
    "version": "keyplan --version", "options": "keyplan help options", "commands": "keyplan --help",
  ]

  /// Inside `keyplan keys`, and without it.
  private static let keys: [String: String] = [
    "add": "keyplan keys add NAME --provider PROVIDER", "new": "keyplan keys add NAME --provider PROVIDER",
    "create": "keyplan keys add NAME --provider PROVIDER", "list": "keyplan keys", "ls": "keyplan keys",
    "set": "keyplan keys set NAME", "put": "keyplan keys set NAME", "edit": "keyplan keys set NAME",
    "update": "keyplan keys set NAME", "write": "keyplan keys set NAME", "encrypt": "keyplan keys set NAME",
    "rotate": "keyplan keys rotate NAME", "roll": "keyplan keys rotate NAME", "renew": "keyplan keys rotate NAME",
    "regenerate": "keyplan keys rotate NAME", "revoke": "keyplan keys revoke NAME",
    "disable": "keyplan keys revoke NAME", "invalidate": "keyplan keys revoke NAME",
    "remove": "keyplan keys remove NAME", "rm": "keyplan keys remove NAME", "delete": "keyplan keys remove NAME",
    "del": "keyplan keys remove NAME", "unset": "keyplan keys remove NAME", "rename": "keyplan keys rename NAME NEW",
    "mv": "keyplan keys rename NAME NEW", "move": "keyplan keys move NAME NEW",
    "activate": "keyplan keys activate NAME", "use": "keyplan keys activate NAME",
    "select": "keyplan keys activate NAME", "switch": "keyplan keys activate NAME",
    "history": "keyplan keys history NAME", "log": "keyplan keys history NAME",
    "versions": "keyplan keys history NAME", "purge": "keyplan keys purge NAME",
    "forget": "keyplan keys forget NAME", "rollback": "keyplan keys rollback NAME --to VERSION",
    "undo": "keyplan keys rollback NAME", "revert": "keyplan keys rollback NAME",
    "restore": "keyplan keys rollback NAME", "info": "keyplan keys show NAME", "describe": "keyplan keys show NAME",
    "view": "keyplan keys show NAME", "get": "keyplan get NAME", "reveal": "keyplan get NAME",
    "read": "keyplan get NAME", "export": "keyplan env", "env": "keyplan env", "import": "keyplan init --from FILE",
    "check": "keyplan verify NAME", "verify": "keyplan verify NAME", "test": "keyplan verify NAME",
  ]

  /// Slots and targets are recorded again under their new names.
  private static let renaming =
    "Rename it in the manifest, and run keyplan apply. For a key: keyplan keys move NAME NEW"

  private static let records: [String: String] = [
    "ls": "keyplan records", "get": "keyplan records show ADDRESS", "remove": "keyplan records forget ADDRESS",
    "rm": "keyplan records forget ADDRESS", "delete": "keyplan records forget ADDRESS",
    "move": renaming, "mv": renaming, "rename": renaming, "rollback": "keyplan keys rollback NAME",
    "purge": "keyplan keys purge NAME",
  ]

  private static let identity: [String: String] = [
    "create": "keyplan identity new", "generate": "keyplan identity new", "init": "keyplan identity new",
    "list": "keyplan identity show", "ls": "keyplan identity show", "rotate": "keyplan identity replace",
  ]

  private static let store: [String: String] = [
    "init": "keyplan init", "create": "keyplan init", "new": "keyplan init", "show": "keyplan show",
    "rotate": "keyplan store rekey", "backup": "keyplan backup FILE", "restore": "keyplan restore FILE",
    "unlock": "keyplan unlock", "trust": "keyplan trust",
  ]

  private static let calendar: [String: String] = [
    "login": "keyplan calendar sign-in NAME", "signin": "keyplan calendar sign-in NAME",
    "logout": "keyplan calendar sign-out NAME", "signout": "keyplan calendar sign-out NAME",
    "ls": "keyplan calendar list",
  ]
}

/// `keyplan state`, which earlier versions had for the records of keys and of everything else.
private struct FormerState {
  private let words: [String]

  init(_ words: [String]) { self.words = words }

  /// The same command line as it is called now.
  var hint: String {
    let lists = "keyplan keys history, or keyplan records history"
    guard let verb = words.first, ["history", "move", "forget", "rollback", "purge"].contains(verb) else {
      return "keyplan keys --help, or keyplan records --help"
    }
    guard let index = words.indices.dropFirst().first(where: { isOperand($0) }) else {
      return verb == "history" ? lists : "keyplan keys \(verb) NAME"
    }
    let isOther = if case .key? = Address(words[index]) { false } else { Address(words[index]) != nil }
    var words = words.map(ShellWord.quoted)
    if !isOther, words[index].hasPrefix("key.") { words[index] = String(words[index].dropFirst("key.".count)) }
    let group = isOther && ["history", "forget"].contains(verb) ? "records" : "keys"
    return "`keyplan \(group) \(words.joined(separator: " "))`"
  }

  /// Whether a word is neither an option nor the value of one.
  private func isOperand(_ index: Int) -> Bool {
    let takingValue = [
      "--to", "--forgotten", "-f", "--manifest", "-e", "--environment", "--store", "--identity", "--lock-timeout",
      "--color", "--width",
    ]
    return !words[index].hasPrefix("-") && !takingValue.contains(words[index - 1])
  }
}
