internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Prints values as environment variables.
struct Env: JSONCommand, SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "env",
    abstract: "Print values as environment variables.",
    discussion: """
      Exports the active key of each slot, and every key that declares `variable`. If several keys share a variable, \
      the active one is exported. With --target, exports that target's names instead.

      `shell` is for sh, bash and zsh; `dotenv-plain` has no quotes, for docker run --env-file. `github` appends to \
      the file named by GITHUB_ENV and prints masks only. A value that a format cannot contain is an error.

      For example:
        eval "$(keyplan env)"
        keyplan env --format fish | source
        keyplan env --format powershell | ForEach-Object { Invoke-Expression $_ }
      """
  )
  .parsedAlone

  @OptionGroup var selection: ExportOptions

  @Option(help: ArgumentHelp("Output format (default: shell).", valueName: "format"))
  var format: EnvFormat?

  @Flag(help: "Allow printing values to a terminal.")
  var reveal = false

  @OptionGroup var options: GlobalOptions

  /// Readers of this JSON treat every member as a variable, so errors are never written to it.
  func writesJSON(on terminal: Terminal) -> Bool { false }

  func checkForm() throws(Failure) { try options.check(format) }

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let format = format ?? (options.json ? .json : .shell)
    if format != .github { try Reveal.check(reveal, on: terminal) }
    var selection = selection.selection
    // A program may print a part of what it got.
    selection.includesContents = format == .github
    let exports = try await ValueReading.exports(selection, in: world)
    let text = try EnvText(format, in: world).bytes(of: exports)
    text.withBytes { terminal.out.writeWhole($0) }
    return ExitStatus.done.rawValue
  }
}

/// Selects the values to export.
struct ExportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Export the values of this target under its names.", valueName: "name"),
    completion: DeclaredNames.targets)
  var target: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Export only these variables, keys or active.SLOT; may be repeated or comma-separated.", valueName: "name"))
  var only: [String] = []

  var selection: ExportSelection {
    ExportSelection(target: target, names: only.flatMap { $0.split(separator: ",").map(String.init) })
  }
}

extension EnvFormat: ExpressibleByArgument {}
