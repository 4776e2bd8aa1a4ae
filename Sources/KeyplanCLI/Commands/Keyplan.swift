internal import ArgumentParser
internal import KeyplanReporting

/// The root command. Each command sets its `commandName`, because deriving it from the type's name costs the parser
/// half a million instructions per command at every start.
struct Keyplan: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "keyplan",
    abstract: "Declare API keys in git, plan and apply changes, and detect drift.",
    discussion: """
      A manifest (keyplan.yaml) declares keys and the sources of their values; it never contains values. keyplan \
      plans the changes from the state recorded in an encrypted store to the declared state, applies them, and \
      detects drift.

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

  /// Each type is loaded as a command only on demand: loading costs the runtime a table and two pages each.
  private static let table: [(name: String, command: @Sendable () -> any ParsableCommand.Type)] = [
    ("init", { Init.self }), ("validate", { Validate.self }), ("fmt", { Fmt.self }), ("plan", { PlanCommand.self }),
    ("apply", { Apply.self }), ("drift", { Drift.self }), ("verify", { Verify.self }),
    ("report", { ReportCommand.self }), ("metrics", { MetricsCommand.self }), ("accept", { Accept.self }),
    ("destroy", { Destroy.self }),
    ("show", { Show.self }),
    ("keys", { Keys.self }), ("state", { StateCommand.self }), ("store", { StoreCommand.self }),
    ("backup", { BackupCommand.self }), ("restore", { RestoreCommand.self }),
    ("calendar", { CalendarCommand.self }), ("identity", { IdentityCommand.self }), ("get", { Get.self }),
    ("env", { Env.self }), ("run", { RunCommand.self }), ("watch", { WatchCommand.self }),
    ("generate", { GenerateCommand.self }), ("unlock", { Unlock.self }), ("trust", { TrustCommand.self }),
    ("completions", { Completions.self }), ("schema", { Schema.self }), ("providers", { ProvidersCommand.self }),
    ("backends", { BackendsCommand.self }), ("backend", { BackendCommand.self }), ("doctor", { Doctor.self }),
  ]

  static func command(named name: String) -> (any ParsableCommand.Type)? {
    table.first { $0.name == name }?.command()
  }

  /// How a command is called, such as `calendar refresh`.
  static func words(of command: any KeyplanCommand) -> String {
    let (own, type) = (Swift.type(of: command)._commandName, ObjectIdentifier(Swift.type(of: command)))
    let group = commands.first { $0.configuration.subcommands.contains { ObjectIdentifier($0) == type } }
    return group.map { "\($0._commandName) \(own)" } ?? own
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
  /// For a subcommand that can be parsed without the root: the parser then skips searching for the root's own options,
  /// which would take longer than parsing the command's options (a fifth of `keyplan get`).
  var parsedAlone: Self {
    var configuration = self
    configuration._superCommandName = "keyplan"
    return configuration
  }
}
