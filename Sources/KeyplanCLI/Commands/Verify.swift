internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Checks with providers whether they accept recorded keys.
struct Verify: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Ask providers whether they accept the recorded keys.",
    usage: "keyplan verify [<options>] [<name> ...]",
    discussion: """
      Sends one request for each key to the provider that is recorded with it, with the recorded value, and records \
      the outcome. A key that its provider rejects is not chosen for a slot that has another usable key. If a \
      provider does not answer, nothing changes. Without names, all keys that are in use are checked. Exits with 2 \
      if a key does not work, and with 8 if a provider did not say.

      For example:
        keyplan verify
        keyplan verify openai-main --json
      """
  )
  .parsedAlone

  @Argument(
    help: ArgumentHelp("The names of keys; all that are in use if none is given.", valueName: "name"),
    completion: DeclaredNames.keys)
  var names: [String] = []

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    let run = try VerifyRun(workspace, keys: names)
    let report = try await run.run(timeout: workspace.world.settings.lockTimeout)
    if terminal.isJSON {
      terminal.out.write(try Document.verified(report))
    } else {
      terminal.out.write(
        VerifyText.render(report, style: terminal.style(for: terminal.out), isQuiet: terminal.isQuiet))
    }
    return ExitStatus.worst(report.statuses(naming: run.named), by: .verify).rawValue
  }
}
