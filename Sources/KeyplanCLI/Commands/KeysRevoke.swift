internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Makes a key's value unusable.
struct KeysRevoke: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Make a key's current value unusable for everyone who reads the store.",
    usage: "keyplan keys revoke <name> [--reason <text>] [<options>]",
    discussion: """
      From then on get, env and run refuse the key. Its slots move to their next usable key, and targets get the next \
      value: that of such a slot, or a new one for a key that keyplan generates or has made. Where nothing usable is \
      left, the value is removed, after a confirmation or with --leave-without. A target that cannot be written does not \
      stop the revocation. keyplan never stores or restores this value again, even if the source still has it. A new \
      value makes the key usable again. A key with several parts is revoked as a whole. keyplan revokes the key at its provider only if it \
      had the key made there, or knows its id: otherwise do that, too.

      For example:
        keyplan keys revoke openai-main --reason "leaked in a log"
        keyplan keys revoke openai-main --yes --leave-without
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  @Option(help: ArgumentHelp("Why, for plans and the history. It is not encrypted in plan files.", valueName: "text"))
  var reason: String?

  @Flag(help: "With --yes: also remove the value from targets that nothing else is left for.")
  var leaveWithout = false

  @OptionGroup var change: ChangeOptions

  @OptionGroup var options: GlobalOptions

  /// Removals are allowed with --leave-without, or where a question shows them first.
  private var extent: ChangeExtent {
    change.storeOnly ? .store : .targets(mayRemove: leaveWithout || !change.confirmation.yes)
  }

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    let key = try RecordedAddress.key(name, in: workspace)
    let edit = try await RecordEdit.revoking(key, because: reason, in: workspace, extent)
    if edit.isIdle, !terminal.isJSON {
      if !terminal.isQuiet { terminal.out.write("Nothing to change: \(key.whole ?? key) is already revoked.\n") }
      return ExitStatus.done.rawValue
    }
    return try await edit.carryOut(change.confirmation, as: "keyplan keys revoke", on: terminal)
  }
}
