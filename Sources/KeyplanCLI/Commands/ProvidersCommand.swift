internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Lists the providers that need no declaration.
struct ProvidersCommand: JSONCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "providers",
    abstract: "List the providers of keys that keyplan knows, or show one.",
    usage: "keyplan providers [<options>] [<name>]",
    discussion: """
      Reads no manifest and contacts nothing.

      For example:
        keyplan providers
        keyplan providers openai
      """
  )
  .parsedAlone

  @Argument(
    help: "The name of one provider (default: all).", completion: .list(KnownProviders.names))
  var name: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let style = terminal.style(for: terminal.out)
    let one = try name.map { name throws(Failure) in try KnownProviders.named(name) }
    if terminal.isJSON {
      terminal.out.write(try Document.text(ProvidersDocument(one.map { [$0] } ?? KnownProviders.all)))
    } else if let one {
      terminal.out.write(ProvidersText.render(one, style: style))
    } else {
      terminal.out.write(ProvidersText.render(KnownProviders.all, style: style))
    }
    return ExitStatus.done.rawValue
  }
}
