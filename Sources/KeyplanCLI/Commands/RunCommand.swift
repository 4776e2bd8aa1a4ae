internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Runs a command with values in its environment.
struct RunCommand: TextCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command with keys in its environment.",
    usage: "keyplan run [<options>] -- <command> ...",
    discussion: """
      The command replaces the keyplan process, so signals and exit codes are its own. If a key is unavailable, \
      the command is not started (exit code 125). Variables that begin with KEYPLAN_ are not passed on.

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
      throw Failure(.usage, "No command", "No command was given.", hint: "keyplan run -- COMMAND [ARGUMENT …]")
    }
    do {
      let exports = try await ValueReading.exports(selection.selection, in: world)
      return Replacement(ProgramImage(program, Array(command.dropFirst()), exports, in: world), on: terminal).start()
    } catch let failure as Failure {
      terminal.report(failure)
    } catch let rejected as Project.Rejected {
      terminal.report(rejected)
    }
    return ExitStatus.cannotRun.rawValue
  }
}
