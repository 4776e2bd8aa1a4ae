internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// The keys.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List keys, set their values, and edit them in the manifest.",
    discussion: """
      For example:
        keyplan keys
      """,
    subcommands: [
      KeysList.self, KeysSet.self, KeysAdd.self, KeysActivate.self, KeysRename.self, KeysRemove.self,
      KeysRotate.self, KeysRevoke.self,
    ], defaultSubcommand: KeysList.self
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
