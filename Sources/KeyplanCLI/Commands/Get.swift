internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// One value.
struct Get: TextCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Write one value to standard output.",
    usage: "keyplan get [<options>] <name>",
    discussion: """
      A key's name, or active.SLOT for whatever key is active there. Nothing is added to the value. On a terminal it is \
      shown only with --reveal.

      For example:
        keyplan get active.assistant | pbcopy
      """
  )
  .parsedAlone

  @Argument(help: "KEY or active.SLOT.", completion: DeclaredNames.readable)
  var name: String

  @Flag(help: "Show the value although standard output is a terminal.")
  var reveal = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    try Reveal.check(reveal, on: terminal)
    let value = try await StoreReading.reading(in: world) { [name] store throws(Failure) in
      try store.value(named: name)
    }
    value.withBytes { terminal.out.writeWhole($0) }
    return ExitStatus.done.rawValue
  }
}

/// Values on a terminal stay in its scroll-back; a person must mean it.
enum Reveal {
  static func check(_ reveal: Bool, on terminal: Terminal) throws(Failure) {
    guard reveal || !terminal.out.isTerminal else {
      throw Failure(
        .usage, "Not shown on a terminal", "Standard output is a terminal, which keeps what it shows.",
        hint: "Pipe it where it is needed, or say --reveal.")
    }
  }
}
