internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Values as environment variables.
struct Env: JSONCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "env",
    abstract: "Write values as environment variables.",
    discussion: """
      Each slot's active key under its variable, and each key that has a variable of its own; of several with \
      the same one, the active one. Or, with --target, that target's names. `github` appends to the file that GITHUB_ENV names and prints masks only.

      For example:
        eval "$(keyplan env)"
      """
  )
  .parsedAlone

  @OptionGroup var selection: ExportOptions

  @Option(help: ArgumentHelp("How to write them; shell if left out.", valueName: "format"))
  var format: EnvFormat?

  @Flag(help: "Show the values although standard output is a terminal.")
  var reveal = false

  @OptionGroup var options: GlobalOptions

  /// What takes its JSON takes every name in it for a variable: it gets variables or nothing.
  func writesJSON(on terminal: Terminal) -> Bool { false }

  func checkForm() throws(Failure) { try options.check(format) }

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let format = format ?? (options.json ? .json : .shell)
    if format != .github { try Reveal.check(reveal, on: terminal) }
    let exports = try await StoreReading.exports(selection.selection, in: world)
    let text = try EnvText(format, in: world).bytes(of: exports)
    text.withBytes { terminal.out.writeWhole($0) }
    return ExitStatus.done.rawValue
  }
}

/// Which values are exported.
struct ExportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Export what this target gets, under its names.", valueName: "name"),
    completion: DeclaredNames.targets)
  var target: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Export only these: variables, keys or active.SLOT, also as a list with commas.", valueName: "name"))
  var only: [String] = []

  var selection: ExportSelection {
    ExportSelection(target: target, names: only.flatMap { $0.split(separator: ",").map(String.init) })
  }
}

extension EnvFormat: ExpressibleByArgument {}
