internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// A command with values in its environment.
struct RunCommand: TextCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command with values in its environment.",
    usage: "keyplan run [<options>] -- <command> ...",
    discussion: """
      The command takes keyplan's place, so that signals and exit codes are its own. A key that cannot be had stops it \
      before it starts (125). KEYPLAN_IDENTITY and its kin never reach it.

      For example:
        keyplan run -- npm start
      """
  )
  .parsedAlone

  @OptionGroup var selection: ExportOptions

  @Argument(parsing: .postTerminator, help: "The command and its arguments.")
  var command: [String] = []

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard let program = command.first else {
      throw Failure(.usage, "No command", "There is nothing to run.", hint: "keyplan run -- COMMAND [ARGUMENT …]")
    }
    do throws(Failure) {
      let exports = try await StoreReading.exports(selection.selection, in: world)
      return Replacement(program, Array(command.dropFirst()), exports, on: terminal, in: world).start()
    } catch {
      terminal.report(error)
      return ExitStatus.cannotRun.rawValue
    }
  }
}
