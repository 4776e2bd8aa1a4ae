internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Commands on the store itself rather than its records.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Move the store, or replace its root key.",
    discussion: """
      For example:
        keyplan store move --to postgres://keyplan@db.example.com/keys
        keyplan store rekey
      """,
    subcommands: [StoreMoveCommand.self, StoreRekeyCommand.self]
  )
  .parsedAlone
}

/// From a file to a server, and back.
struct StoreMoveCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move the store to another place without decrypting it.",
    usage: "keyplan store move [--to <place>] [--undo] [<options>]",
    discussion: """
      Every row (values, history, journal) is copied without being decrypted. Both copies are compared \
      byte-for-byte before the new one becomes the store; the old place then points to it and accepts no more \
      writes. keyplan.lock stays valid. Run the same command again to continue an interrupted move. Plans saved \
      earlier become invalid. Without a terminal (CI, a pipe, --no-input), pass --yes.

      If the new place is lost, --undo makes the old copy the store again; everything written to the new one is \
      lost. It is refused while the store is reachable at the new place. The store gets a new root key, so that \
      keyplan.lock distinguishes the two copies if the other one reappears.

      For example:
        keyplan store move --to postgres://keyplan@db.example.com/keys
        keyplan store move --store postgres://keyplan@db.example.com/keys
        keyplan store move --undo --store .keyplan/default.db
      """)

  @Option(
    help: ArgumentHelp(
      "postgres://host/database or a file (default: the default file).", valueName: "place"),
    completion: .file())
  var to: String?

  @Flag(help: "Restore the copy at the old place because the new place is lost.")
  var undo = false

  @Flag(help: "Show what would be done without doing it.")
  var dryRun = false

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let project = try Project(in: world)
    let from = try ResolvedStore(of: project, in: world)
    guard undo else { return try await move(StoreMoveRun(project, from: from, to: to, in: world), on: terminal) }
    switch try await MoveRollback.find(project, from, lost: to, in: world) {
    case .moved(let run): return try await roll(back: run, on: terminal)
    case .undone(let report):
      terminal.out.write(
        terminal.isJSON
          ? try Document.text(MoveDocument(report)) : report.text(terminal.style(for: terminal.out)))
      return ExitStatus.done.rawValue
    }
  }

  private func move(_ run: StoreMoveRun, on terminal: Terminal) async throws -> Int32 {
    if let arrived = run.arrived { return try show(run.report, .there(arrived), on: terminal) }
    if !terminal.isJSON, !terminal.isQuiet || dryRun || !confirmation.yes {
      terminal.out.write(MoveText(run.report, terminal.style(for: terminal.out)).before)
    }
    guard !dryRun else { return try show(run.report, .notMoved, on: terminal) }
    try ask("Move the store?", Failure(.interrupted, "Not moved", "Nothing was moved."), on: terminal)
    return try show(run.report, try await run.carryOut(), on: terminal)
  }

  private func show(_ report: MoveReport, _ ending: MoveReport.Ending, on terminal: Terminal) throws -> Int32 {
    if case .notMoved = ending { terminal.err.write("Nothing was moved: this is a dry run.\n") }
    if terminal.isJSON {
      terminal.out.write(try Document.text(MoveDocument(report, ending)))
      return ExitStatus.done.rawValue
    }
    switch ending {
    case .moved where terminal.isQuiet, .notMoved: break
    case .moved, .there: terminal.out.write(MoveText(report, terminal.style(for: terminal.out)).done)
    }
    return ExitStatus.done.rawValue
  }

  private func roll(back run: MoveRollback, on terminal: Terminal) async throws -> Int32 {
    let text = UndoText(run.report, terminal.style(for: terminal.out))
    if !terminal.isJSON, !terminal.isQuiet || dryRun || !confirmation.yes { terminal.out.write(text.before) }
    guard !dryRun else {
      terminal.err.write("Nothing was undone: this is a dry run.\n")
      if terminal.isJSON { terminal.out.write(try Document.text(MoveDocument(undoing: run.report, nil))) }
      return ExitStatus.done.rawValue
    }
    try ask(
      "Restore this copy and abandon the other?", Failure(.interrupted, "Not undone", "Nothing was undone."),
      on: terminal)
    let store = try await run.carryOut()
    if terminal.isJSON {
      terminal.out.write(try Document.text(MoveDocument(undoing: run.report, store)))
    } else if !terminal.isQuiet {
      terminal.out.write(text.done)
    }
    return ExitStatus.done.rawValue
  }

  private func ask(_ question: String, _ declined: Failure, on terminal: Terminal) throws(Failure) {
    guard !confirmation.yes else { return }
    try terminal.confirm(
      question, orSay: "Pass --yes, or use --dry-run to see what would be done.", declined: declined)
  }
}
