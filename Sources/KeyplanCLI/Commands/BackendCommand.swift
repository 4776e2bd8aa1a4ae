internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Commands about one backend.
struct BackendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backend",
    abstract: "Check a service that keyplan writes to.",
    discussion: """
      For example:
        keyplan backend check ci
      """,
    subcommands: [BackendCheck.self]
  )
  .parsedAlone
}

/// Checks a target's service.
struct BackendCheck: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that a target's service does what plans and applies rely on.",
    usage: "keyplan backend check [<options>] <target>",
    discussion: """
      Writes two names that nothing else has, with values that are not secret, at the place of the target, reads them \
      back, changes them, and removes them again. Other names are not touched. Useful for a backend that the manifest \
      describes, and for one that is a preview. Exits with 1 if a rule is not kept.

      For example:
        keyplan backend check ci
      """
  )

  @Argument(
    help: ArgumentHelp("The target, as declared in the manifest.", valueName: "target"),
    completion: DeclaredNames.targets)
  var target: String

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    var run = try ContractRun(try await Workspace(in: try terminal.world()), target: target)
    if !confirmation.yes {
      try terminal.confirm(
        run.question, orSay: "Pass --yes.", declined: Failure(.interrupted, "Not checked", "Nothing was written."))
    }
    let report = await run.run()
    if terminal.isJSON {
      terminal.out.write(try Document.text(ContractDocument(report)))
    } else {
      terminal.out.write(ContractText.render(report, style: terminal.style(for: terminal.out)))
    }
    return (report.isPassed ? ExitStatus.done : .failed).rawValue
  }
}
