internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// The records, for surgery.
struct StateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Look into the store's records, and change them by hand.",
    discussion: """
      Each change is a plan: it is shown, asked about, and carried out as apply does it.

      For example:
        keyplan state history
      """,
    subcommands: [StateHistory.self, StateMove.self, StateForget.self, StateRollback.self]
  )
  .parsedAlone
}

/// How records came about.
struct StateHistory: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Tell how records came about: versions, times and origins. Values stay masked.",
    usage: "keyplan state history [<options>] [<address>]",
    discussion: """
      The last five earlier versions of a key's value are kept, and a forgotten key for 30 days. A record's serial is that \
      of the commit that last wrote it.

      For example:
        keyplan state history key.openai-main
      """)

  @Argument(
    help: "key.NAME, active.SLOT or target.NAME. Without it: everything.", completion: DeclaredNames.addresses)
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
