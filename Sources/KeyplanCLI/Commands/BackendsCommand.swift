internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Lists the backends.
struct BackendsCommand: JSONCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "backends",
    abstract: "List what keyplan can read from and write to, or show one with its fields.",
    usage: "keyplan backends [<options>] [<name>]",
    discussion: """
      Reads no manifest and contacts nothing.

      For example:
        keyplan backends
        keyplan backends dotenv
      """
  )
  .parsedAlone

  @Argument(
    help: "The name of one backend (default: all).", completion: .list(KnownBackends.names))
  var name: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let style = terminal.style(for: terminal.out)
    let chosen = try name.map { [try KnownBackends.named($0)] } ?? KnownBackends.all
    if terminal.isJSON {
      terminal.out.write(try Document.text(BackendsDocument(chosen)))
    } else if name != nil, let backend = chosen.first {
      terminal.out.write(BackendsText.render(backend, sources: KnownBackends.sources(of: backend), style: style))
    } else {
      terminal.out.write(BackendsText.render(chosen, style: style))
    }
    return ExitStatus.done.rawValue
  }
}
