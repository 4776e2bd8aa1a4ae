internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// The store's records that are not keys.
struct RecordsCommand: CommandGroupTable {
  static let table: [Entry] = [
    ("list", { RecordsList.self }), ("show", { RecordsShow.self }), ("history", { RecordsHistory.self }),
    ("forget", { RecordsForget.self }),
  ]

  static var standIn: any ParsableCommand.Type { RecordsList.self }

  static let configuration = CommandConfiguration(
    commandName: "records",
    abstract: "List and edit the store's records of slots, targets and accounts.",
    discussion: """
      Keys have commands of their own: keyplan keys. Each change is a plan that is shown, confirmed and applied as with \
      apply.

      For example:
        keyplan records
        keyplan records forget target.old
      """,
    subcommands: subcommandTypes, defaultSubcommand: RecordsList.self
  )
  .parsedAlone
}

/// Lists the records that are not keys.
struct RecordsList: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List slots, targets, accounts, permissions and recipients as the store has them.",
    usage: "keyplan records [<options>]",
    discussion: """
      For example:
        keyplan records --json
      """)

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let recorded = try await StoreReading.recorded(in: world)
    let json = terminal.isJSON ? try Document.recorded(recorded, of: .others) : nil
    terminal.out.write(json ?? RecordsText.render(recorded, style: terminal.style(for: terminal.out), at: world.now))
    return ExitStatus.done.rawValue
  }
}
