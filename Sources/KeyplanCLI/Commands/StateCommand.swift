internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Commands that inspect and edit records.
struct StateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Inspect and edit the store's records.",
    discussion: """
      Each change is a plan that is shown, confirmed and applied as with apply.

      For example:
        keyplan state history
      """,
    subcommands: [StateHistory.self, StateMove.self, StateForget.self, StateRollback.self, StatePurge.self]
  )
  .parsedAlone
}

/// Shows the history of records.
struct StateHistory: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show the history of records: versions, times and origins. Values are masked.",
    usage: "keyplan state history [<options>] [<address>]",
    discussion: """
      The last five earlier versions of a key's value are kept, and a deleted key for 30 days. A record's serial \
      is that of the commit that last wrote it.

      For example:
        keyplan state history key.openai-main
      """)

  @Argument(
    help: "key.NAME, active.SLOT or target.NAME (default: everything).", completion: DeclaredNames.addresses)
  var address: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let recorded = try await StoreReading.recorded(in: world)
    let only = try address.map { try RecordedAddress.find($0, in: recorded, orForgotten: true) }
    let history = RecordHistory(recorded, only: only)
    if terminal.isJSON {
      terminal.out.write(try Document.text(HistoryDocument(history, store: recorded.store)))
    } else {
      terminal.out.write(HistoryText.render(history, style: terminal.style(for: terminal.out)))
    }
    return ExitStatus.done.rawValue
  }
}
