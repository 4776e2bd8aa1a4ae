internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// Makes a key's value unusable.
struct KeysRevoke: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Make a key's current value unusable for everyone who reads the store.",
    usage: "keyplan keys revoke <name> [--reason <text>] [<options>]",
    discussion: """
      From then on get, env and run refuse the key. The next apply moves its slots to their next usable key, and \
      replaces or removes the value at targets. The value is stored and restored no more, whatever its source has; a \
      new value makes the key usable again. A key with several parts is revoked as a whole. keyplan does not revoke \
      the key at its provider: do that, too.

      For example:
        keyplan keys revoke openai-main --reason "leaked in a log"
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  @Option(help: ArgumentHelp("Why, for plans and the history. It is not encrypted in plan files.", valueName: "text"))
  var reason: String?

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    let key = try RecordedAddress.key(name, in: workspace)
    let edit = try await RecordEdit.revoking(key, because: reason, in: workspace)
    if edit.isIdle, !terminal.isJSON {
      if !terminal.isQuiet { terminal.out.write("Nothing to change: \(key.whole ?? key) is already revoked.\n") }
      return ExitStatus.done.rawValue
    }
    return try await edit.carryOut(confirmation, as: "keyplan keys revoke", on: terminal)
  }
}
