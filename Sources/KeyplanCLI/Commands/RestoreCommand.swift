internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting
internal import KeyplanStore

/// Makes a backup the content of the store.
struct RestoreCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore the store from a backup.",
    usage: "keyplan restore <file> [--check] [--yes] [<options>]",
    discussion: """
      Every record and value of the backup is verified, and what would change is shown before anything is written. \
      The store is created, or its content replaced in one transaction, under a fresh root key and a serial above \
      all that this machine has seen. Commit keyplan.lock afterwards. Recipients are those of the manifest, else \
      those of the existing store; permissions and rules of an existing store are kept. A damaged store file is kept under another \
      name.

      A backup that was not made from the store in keyplan.lock, or under an earlier root key, needs --root with the \
      root key that it was made under.

      For example:
        keyplan restore --check store-2026-11-21.age
        keyplan restore store-2026-11-21.age
      """
  )
  .parsedAlone

  @Argument(help: "A file that `keyplan backup` wrote.", completion: .file())
  var file: String

  @Flag(help: "Verify the backup and show what would change, without changing anything.")
  var check = false

  @Option(help: ArgumentHelp("The root key of the backup, if keyplan.lock does not name it.", valueName: "root"))
  var root: String?

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let run = try await RestoreRun(from: file, in: world)
    let backup = run.backup
    let page = RestoreText(
      file: file, backup: StoreState(id: backup.store, serial: backup.serial, epoch: backup.epoch),
      createdAt: backup.createdAt, place: run.place.shown, present: run.present.map { StoreState($0) },
      aside: run.aside, added: run.added, changed: run.changed, removed: run.removed, revoked: run.revoked,
      recipients: run.recipients.keys.sorted().map(\.name), exposed: run.exposed.map(\.name))
    let rows = StoreRows(records: backup.count, values: backup.values)
    if !terminal.isJSON, !terminal.isQuiet || check || !confirmation.yes {
      terminal.out.write(page.text(terminal.style(for: terminal.out)))
    }
    guard run.isVerified || run.isDone || root == backup.rootID else {
      throw Failure(
        .storeRefused, "Unverified backup",
        "The backup was made under the root key \(backup.rootID), which neither keyplan.lock nor the store has. Anyone who "
          + "knows your recipients can make a file of their own.",
        hint:
          "If you know where the backup comes from: keyplan restore \(ShellWord.quoted(file)) --root \(backup.rootID)")
    }
    if let lockout = run.lockout, !run.isDone {
      guard check else { throw lockout }
      world.console.warn(Warning(lockout.summary, lockout.detail, hint: lockout.hint))
    }
    guard !check else {
      terminal.out.write(
        terminal.isJSON
          ? try Document.text(RestoreDocument(page, rows: rows, restored: nil))
          : "The backup is complete: \(rows.words) verified. Nothing was changed.\n")
      return ExitStatus.done.rawValue
    }
    if run.isDone, let present = run.present {
      try run.finish()
      if terminal.isJSON {
        terminal.out.write(try Document.text(RestoreDocument(page, rows: rows, restored: StoreState(present))))
      } else if !terminal.isQuiet {
        terminal.out.write("Already restored: the store is at serial \(present.serial).\n")
      }
      return ExitStatus.done.rawValue
    }
    if !confirmation.yes {
      try terminal.confirm(
        "Restore this backup?", orSay: "Pass --yes, or use --check to see what would be done.",
        declined: Failure(.interrupted, "Not restored", "Nothing was changed."))
    }
    let facts = try await run.carryOut()
    if terminal.isJSON {
      terminal.out.write(try Document.text(RestoreDocument(page, rows: rows, restored: StoreState(facts))))
    } else if !terminal.isQuiet {
      terminal.out.write(
        "Restored \(rows.words): the store is at serial \(facts.serial).\n\nNext: commit keyplan.lock, make a new backup, then keyplan plan\n"
      )
    }
    return ExitStatus.done.rawValue
  }
}
