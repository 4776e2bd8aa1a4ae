internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows the versions of keys.
struct KeysHistory: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show the versions of a key, or of all keys, with times and origins. Values are masked.",
    usage: "keyplan keys history [<name>] [<options>]",
    discussion: """
      The last five earlier versions of a key's value are kept, and a deleted key for 30 days. keyplan keys rollback \
      makes one of them the current one. A record's serial is the number of the store's change that last wrote it.

      For example:
        keyplan keys history openai-main
      """)

  @Argument(help: "The key's name (default: all keys, and deleted ones).", completion: DeclaredNames.keys)
  var name: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    try await terminal.showHistory(name, .keys, in: try terminal.world())
  }
}
