internal import KeyplanModel

/// The options of this run that say which project and environment are meant. Commands that a text names get them: pasted without, they
/// would mean another environment.
package struct ProjectOptions: Hashable, Sendable {
  private struct Option: Hashable {
    let names: [String]
    /// A word of a shell command.
    let value: String
  }

  private let options: [Option]

  /// - Parameters:
  ///   - manifest: as it was given with an option; nil if it was not.
  ///   - environment: the chosen one; nil if none was.
  ///   - store: as it was given with an option; nil if it was not.
  package init(manifest: String? = nil, environment: String? = nil, store: String? = nil) {
    let store = store.flatMap { Self.mayHavePassword($0) ? nil : $0 }
    options = [
      (["-f", "--manifest"], manifest), (["-e", "--environment"], environment), (["--store"], store),
    ].compactMap { names, value in value.map { Option(names: names, value: ShellWord.quoted($0)) } }
  }

  /// Whether an address may contain a password. It is refused, and the error must not repeat it.
  private static func mayHavePassword(_ store: String) -> Bool {
    guard let start = store.firstRange(of: "://")?.upperBound else { return false }
    let rest = store[start...]
    let user = rest.lastIndex(of: "@").map { rest[..<$0] } ?? ""
    return user.contains(":") || rest.lowercased().contains("password")
  }

  /// The text, with the options after the name of each command that means a project, except for those that the text has already.
  package func added(to text: String) -> String {
    let missing = options.filter { option in !option.names.contains { text.contains(" \($0) ") } }
    guard !missing.isEmpty else { return text }
    let words = Self.words(missing)
    var (result, rest) = ("", Substring(text))
    while let found = rest.firstRange(of: "keyplan ") {
      let before = rest[..<found.lowerBound].last ?? result.last
      result += rest[..<found.upperBound]
      rest = rest[found.upperBound...]
      let isWord = before.map { !$0.isLetter && !"/-_.".contains($0) } ?? true
      guard isWord, let path = Self.path(in: rest) else { continue }
      result += rest[..<path] + words
      rest = rest[path...]
    }
    return result + rest
  }

  /// All of them as the end of a command: empty, or ` -f keys.yml -e eu`.
  package var words: String { Self.words(options) }

  private static func words(_ options: [Option]) -> String { options.map { " \($0.names[0]) \($0.value)" }.joined() }

  /// The end of a command's name at the beginning of a text: `keys set` in `keys set a`. Nil if it is none that means a project.
  private static func path(in text: Substring) -> Substring.Index? {
    func word(from start: Substring.Index) -> Substring {
      text[start...].prefix { $0.isLowercase && $0.isASCII || $0 == "-" }
    }
    let first = word(from: text.startIndex)
    guard let subcommands = commands[String(first)] else { return nil }
    guard first.endIndex < text.endIndex, text[first.endIndex] == " " else { return first.endIndex }
    let second = word(from: text.index(after: first.endIndex))
    return subcommands.contains(String(second)) ? second.endIndex : first.endIndex
  }

  /// The commands that mean a project, with those below them.
  package static let commands: [String: Set<String>] = [
    "init": [], "plan": [], "apply": [], "drift": [], "run": [], "get": [], "env": [], "validate": [], "verify": [],
    "accept": [],
    "watch": [], "show": [], "backup": [], "restore": [], "trust": [], "unlock": [], "destroy": [], "report": [],
    "metrics": [], "doctor": [],
    "keys": [
      "show", "history", "add", "set", "activate", "rotate", "rollback", "revoke", "rename", "move", "remove", "forget",
      "purge",
    ],
    "records": ["show", "history", "forget"],
    "calendar": ["sign-in", "sign-out", "status", "refresh", "list", "events", "token"],
    "store": ["move", "rekey"], "backend": ["check"],
    "helper": ["git", "docker", "aws", "kubernetes", "headers", "keyring"],
  ]
}

extension Style {
  /// A text with commands, each with the options that it needs here.
  package func commands(in text: String) -> String { project.added(to: text) }
}
