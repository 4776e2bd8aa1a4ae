internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows one key.
struct KeysShow: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one key: provider, versions, expiry, and where it is used. The value is masked.",
    usage: "keyplan keys show <name> [<options>]",
    discussion: """
      The same as keyplan show key.NAME. The value itself: keyplan get NAME.

      For example:
        keyplan keys show openai-main
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    try await terminal.showRecord(name, .keys, in: try terminal.world())
  }
}
