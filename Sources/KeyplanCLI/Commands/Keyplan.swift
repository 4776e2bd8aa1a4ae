internal import ArgumentParser
internal import KeyplanReporting

/// The root: only holds the commands. Each of them says its `commandName`: making one up from a type's name costs the parser
/// half a million instructions a command, in every start.
struct Keyplan: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "keyplan",
    abstract: "Declares API keys in git, plans and applies them, and finds drift.",
    discussion: """
      A manifest (keyplan.yaml) names keys and where their values are; it never holds one. keyplan plans the way from \
      what is recorded in an encrypted store to what is declared, applies it, and tells what changed behind its back.

      For example:
        keyplan init
        keyplan plan
        keyplan apply

      Exit codes:
      \(exitCodes)
      """,
    version: version,
    subcommands: commands)

  static var commands: [any ParsableCommand.Type] { table.map { $0.command() } }

  /// A type becomes a command only when it is asked for: that costs the runtime a table and two pages each.
  private static let table: [(name: String, command: @Sendable () -> any ParsableCommand.Type)] = [
    ("init", { Init.self }), ("validate", { Validate.self }), ("fmt", { Fmt.self }), ("plan", { PlanCommand.self }),
    ("apply", { Apply.self }), ("drift", { Drift.self }), ("accept", { Accept.self }), ("show", { Show.self }),
    ("keys", { Keys.self }), ("state", { StateCommand.self }), ("store", { StoreCommand.self }),
    ("calendar", { CalendarCommand.self }), ("identity", { IdentityCommand.self }), ("get", { Get.self }),
    ("env", { Env.self }), ("run", { RunCommand.self }), ("unlock", { Unlock.self }), ("trust", { TrustCommand.self }),
    ("completions", { Completions.self }), ("schema", { Schema.self }), ("doctor", { Doctor.self }),
  ]

  static func command(named name: String) -> (any ParsableCommand.Type)? {
    table.first { $0.name == name }?.command()
  }

  private static var exitCodes: String {
    ExitStatus.allCases.map { status in
      let code = String(status.rawValue)
      return String(repeating: " ", count: 5 - code.utf8.count) + code + "  " + status.meaning
    }
    .joined(separator: "\n")
  }
}

extension CommandConfiguration {
  /// For a command below the root that can be parsed without it: the parser then does not look for options of its own first,
  /// which would take longer than the command's options (a fifth of `keyplan get`).
  var parsedAlone: Self {
    var configuration = self
    configuration._superCommandName = "keyplan"
    return configuration
  }
}
