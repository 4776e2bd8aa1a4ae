internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// The keys.
struct Keys: CommandGroupTable {
  static let table: [Entry] = [
    ("list", { KeysList.self }), ("show", { KeysShow.self }), ("set", { KeysSet.self }), ("add", { KeysAdd.self }),
    ("activate", { KeysActivate.self }), ("rename", { KeysRename.self }), ("remove", { KeysRemove.self }),
    ("rotate", { KeysRotate.self }), ("revoke", { KeysRevoke.self }), ("history", { KeysHistory.self }),
    ("rollback", { KeysRollback.self }), ("forget", { KeysForget.self }), ("purge", { KeysPurge.self }),
    ("move", { KeysMove.self }),
  ]

  static var standIn: any ParsableCommand.Type { KeysList.self }

  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List keys, set, rotate and restore their values, and edit them in the manifest.",
    discussion: """
      add, activate, rename and remove edit the manifest; the next apply carries that out. The others change the \
      store, and the targets that have the key.

      For example:
        keyplan keys
        keyplan keys show openai-main
      """,
    subcommands: subcommandTypes, defaultSubcommand: KeysList.self
  )
  .parsedAlone
}

/// Lists keys.
struct KeysList: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List keys with their provider, model, age and expiry. Values are masked.",
    usage: "keyplan keys [<options>]",
    discussion: """
      For example:
        keyplan keys list --json
      """)

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let listing = KeyListing(workspace.manifest, workspace.recorded, at: world.now)
    if terminal.isJSON {
      terminal.out.write(
        try Document.keys(listing, environment: workspace.place.environment, store: workspace.recorded.store))
    } else {
      terminal.out.write(KeysText.render(listing, style: terminal.style(for: terminal.out), at: world.now))
    }
    return ExitStatus.done.rawValue
  }
}
