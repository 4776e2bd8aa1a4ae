internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanStore

/// Writes everything in the store to an encrypted file.
struct BackupCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write all records and values of the store to an encrypted file.",
    usage: "keyplan backup <file> [--recipient <recipient>] [<options>]",
    discussion: """
      The file is an age file with JSON inside, encrypted to the store's recipients: `age -d` opens it without \
      keyplan. It contains the root key, every value with its history, and the tokens of calendar accounts. An \
      existing file is never replaced.

      For example:
        keyplan backup store-2026-11-21.age
        keyplan restore --check store-2026-11-21.age
      """
  )
  .parsedAlone

  @Argument(help: "The new file.", completion: .file())
  var file: String

  @Option(help: ArgumentHelp("Encrypt to this recipient instead of the store's; repeatable.", valueName: "recipient"))
  var recipient: [String] = []

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let made = try await BackupRun.write(to: file, recipients: recipient, in: try terminal.world())
    let rows = StoreRows(records: made.records, values: made.values)
    if terminal.isJSON {
      terminal.out.write(try Document.text(BackupDocument(file: file, store: StoreState(made.store), rows: rows)))
    } else if !terminal.isQuiet {
      terminal.out.write("Backed up \(rows.words) at serial \(made.store.serial) to \(file).\n")
    }
    return ExitStatus.done.rawValue
  }
}
