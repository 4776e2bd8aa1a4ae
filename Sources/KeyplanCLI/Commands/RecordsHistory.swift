internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows since when records are as they are.
struct RecordsHistory: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show when slots, targets and accounts were last changed.",
    usage: "keyplan records history [<address>] [<options>]",
    discussion: """
      A record's serial is the number of the store's change that last wrote it. The versions of keys: keyplan keys \
      history.

      For example:
        keyplan records history target.app
      """)

  @Argument(
    help: "active.SLOT, target.NAME, target.NAME.ENTRY or calendar.NAME (default: all of them).",
    completion: DeclaredNames.otherAddresses)
  var address: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    try await terminal.showHistory(address, .others, in: try terminal.world())
  }
}

extension Terminal {
  /// Shows the history of one record, or of all: `keys history` and `records history`.
  func showHistory(_ subject: String?, _ kinds: RecordKinds, in world: World) async throws -> Int32 {
    let recorded = try await StoreReading.recorded(in: world)
    let only = try subject.map { subject throws(Failure) in
      try RecordedAddress.find(subject, kinds, for: "history", in: recorded, orForgotten: true)
    }
    let history = RecordHistory(recorded, of: kinds, only: only)
    if isJSON {
      out.write(try Document.text(HistoryDocument(history, store: recorded.store)))
    } else {
      out.write(HistoryText.render(history, style: style(for: out)))
    }
    return ExitStatus.done.rawValue
  }
}
