internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Prints one value.
struct Get: TextCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print one value to standard output.",
    usage: "keyplan get [<options>] <name>",
    discussion: """
      Takes a key's name, or active.SLOT for the active key of a slot. Only the value is printed; no newline is \
      added. On a terminal it is shown only with --reveal.

      For example:
        keyplan get active.assistant | pbcopy
      """
  )
  .parsedAlone

  @Argument(help: "KEY or active.SLOT.", completion: DeclaredNames.readable)
  var name: String

  @Flag(help: "Allow printing the value to a terminal.")
  var reveal = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    try Reveal.check(reveal, on: terminal)
    let value = try await ValueReading.value(named: name, in: world)
    value.withBytes { terminal.out.writeWhole($0) }
    return ExitStatus.done.rawValue
  }
}

/// Values on a terminal stay in its scrollback, so they are printed only on request.
enum Reveal {
  static func check(_ reveal: Bool, on terminal: Terminal) throws(Failure) {
    guard reveal || !terminal.out.isTerminal else {
      throw Failure(
        .usage, "Not shown on a terminal", "Standard output is a terminal, whose scrollback would keep the value.",
        hint: "Pipe it where it is needed, or pass --reveal.")
    }
  }
}
