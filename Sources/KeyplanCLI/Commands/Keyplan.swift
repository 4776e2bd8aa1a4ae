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
    groupedSubcommands: groups.map { CommandGroup(name: $0.title, subcommands: $0.commands.map { $0.type() }) })

  static var commands: [any ParsableCommand.Type] { groups.flatMap(\.commands).map { $0.type() } }

  private struct Group {
    let title: String
    let commands: [(name: String, type: @Sendable () -> any ParsableCommand.Type)]
  }

  /// In the order of the help: the ones that people need every day first. Each type is loaded as a command only on demand:
  /// loading costs the runtime a table and two pages each.
  private static let groups = [
    Group(
      title: "Everyday",
      commands: [
        ("init", { Init.self }), ("plan", { PlanCommand.self }), ("apply", { Apply.self }), ("drift", { Drift.self }),
        ("run", { RunCommand.self }), ("get", { Get.self }), ("env", { Env.self }), ("keys", { Keys.self }),
      ]),
    Group(
      title: "Manifest and Value",
      commands: [
        ("validate", { Validate.self }), ("fmt", { Fmt.self }), ("verify", { Verify.self }),
        ("accept", { Accept.self }), ("watch", { WatchCommand.self }), ("generate", { GenerateCommand.self }),
        ("calendar", { CalendarCommand.self }),
      ]),
    Group(
      title: "Store",
      commands: [
        ("show", { Show.self }), ("records", { RecordsCommand.self }), ("identity", { IdentityCommand.self }),
        ("store", { StoreCommand.self }), ("backup", { BackupCommand.self }), ("restore", { RestoreCommand.self }),
        ("trust", { TrustCommand.self }), ("unlock", { Unlock.self }), ("destroy", { Destroy.self }),
      ]),
    Group(
      title: "Team and Tool",
      commands: [
        ("report", { ReportCommand.self }), ("metrics", { MetricsCommand.self }), ("doctor", { Doctor.self }),
        ("ci", { CICommand.self }),
        ("providers", { ProvidersCommand.self }), ("backends", { BackendsCommand.self }),
        ("backend", { BackendCommand.self }), ("helper", { HelperCommand.self }), ("schema", { Schema.self }),
        ("completions", { Completions.self }),
      ]),
  ]

  /// The names of all commands, in the order of the help. Loads none of them.
  static var commandNames: [String] { groups.flatMap { $0.commands.map(\.name) } }

  static func command(named name: String) -> (any ParsableCommand.Type)? {
    for group in groups {
      if let found = group.commands.first(where: { $0.name == name }) { return found.type() }
    }
    return nil
  }

  /// The name of a command, such as `calendar refresh`.
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
