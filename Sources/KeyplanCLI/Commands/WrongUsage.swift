internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Errors of the argument parser as failures like all others.
struct WrongUsage {
  let failure: Failure
  /// Whether the error must be written as JSON.
  let isForProgram: Bool
  /// The global options, as far as the arguments could be parsed.
  let options: GlobalOptions

  init(_ error: any Error, of arguments: [String]) {
    let words = arguments.prefix { $0 != "--" }
    failure = Self.failure(error, Array(words))
    isForProgram = Self.isForProgram(words)
    let color = zip(words, words.dropFirst()).first { $0.0 == "--color" }.map { [$0.0, $0.1] } ?? []
    options =
      (try? GlobalOptions.parse(color)) ?? (try? GlobalOptions.parse([])) ?? GlobalOptions()
  }

  /// Whether the parser would print the program's version instead of running the command. The root's options work everywhere, so a user who
  /// wanted the version of a key would see a success.
  static func asksVersionOfCommand(_ arguments: [String]) -> Bool {
    let words = arguments.prefix { $0 != "--" }
    guard let first = words.first, Keyplan.command(named: first) != nil else { return false }
    return words.contains("--version") && !words.contains { ["-h", "--help", "-help"].contains($0) }
  }

  private static func failure(_ error: any Error, _ words: [String]) -> Failure {
    // To the parser it is an unknown option, which its message would quote.
    guard !words.contains(where: { $0.contains("PRIVATE KEY-----") }) else { return .identityInArgument }
    if asksVersionOfCommand(words) {
      return Failure(
        .usage, "Wrong usage", "Unknown option '--version'. Only `keyplan` itself has it.",
        hint: order(of: words) ?? "\(CommandPath(words[...]).text) --help")
    }
    let message = TypedWord.hiding(words, in: Keyplan.message(for: error))
    if let unknown = UnknownCommand.find(in: words) { return unknown.failure }
    // Next to the message, which may have several lines: `Help:  OPTION  WORDS`, and `See 'COMMAND --help' for …`.
    let lines = Keyplan.fullMessage(for: error, columns: .max).split(separator: "\n")
    let about = lines.last { $0.hasPrefix("Help:  ") }.map { $0.dropFirst("Help:  ".count) }
    let see = lines.last.flatMap { line in line.split(separator: "'").dropFirst().first }
    let (said, near) = parted(message)
    if let hint = order(of: words) { return Failure(.usage, "Wrong usage", said, hint: hint) }
    let explanation = about.map { "\n" + $0.replacing("  ", with: ": ", maxReplacements: 1) } ?? ""
    return Failure(.usage, "Wrong usage", said + explanation, hint: near ?? see.map { String($0) })
  }

  /// The corrected command line if only the order of the arguments is wrong.
  private static func order(of words: [String]) -> String? {
    let commands = Keyplan.commandNames
    if words.first?.hasPrefix("-") == true, let index = words.firstIndex(where: commands.contains) {
      let command = [words[index]] + words[(index + 1)...] + words[..<index]
      let line = TypedWord.line(command)
      return line.map { "Options follow the command: keyplan \($0)" } ?? "Options follow the command."
    }
    guard words.first == "run", let start = words.dropFirst().first, !start.hasPrefix("-") else { return nil }
    guard !start.contains("=") else {
      return "Put -- before the command, and variables before keyplan: NAME=… keyplan run -- COMMAND"
    }
    let line = TypedWord.line(Array(words.dropFirst()))
    return "Put -- before the command: keyplan run -- \(line ?? "COMMAND")"
  }

  /// `Unknown option '--ouut'. Did you mean '--out'?` has two parts: the error, and a hint.
  private static func parted(_ message: String) -> (said: String, near: String?) {
    let parts = message.split(separator: " Did you mean ", maxSplits: 1)
    guard parts.count == 2 else {
      // More than a few values come as a list.
      let line = message.replacing(":\n  - ", with: ": ").replacing("\n  - ", with: ", ")
      return (line.hasSuffix(".") ? line : line + ".", nil)
    }
    return (String(parts[0]), "Did you mean \(parts[1])")
  }

  /// `--json` always produces JSON; the variable only for commands with JSON output.
  private static func isForProgram(_ words: ArraySlice<String>) -> Bool {
    let named = CommandPath(words).command
    let command = named.configuration.defaultSubcommand ?? named
    if command is Env.Type { return false }
    let isTyped =
      words.contains("--json") || words.contains("--format=json")
      || zip(words, words.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    return isTyped
      || command is any JSONCommand.Type && !(command is any TextCommand.Type) && GlobalOptions.asksJSON
  }
}
