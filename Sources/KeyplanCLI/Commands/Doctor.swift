internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// What stands in the way.
struct Doctor: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what keyplan stands on here, and say what to do. Writes nothing.",
    usage: "keyplan doctor [<options>]",
    discussion: """
      Manifest, identity, store, folders, clock, targets and commands are looked at, each for itself; no secret is opened \
      and no command is run. Exits with 9 if the store or its identity cannot be used, with 1 if anything else is an \
      error, and with 0 if there are only warnings.

      For example:
        keyplan doctor --environment staging
      """
  )
  .parsedAlone

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let examination = await Examination(in: world)
    if terminal.isJSON {
      terminal.out.write(try Document.examination(examination.checks))
    } else {
      let shown = terminal.isQuiet ? examination.checks.filter { $0.level != .ok } : examination.checks
      terminal.out.write(ExaminationText.render(shown, style: terminal.style(for: terminal.out)))
    }
    return ExitStatus.worst(examination.checks.compactMap(\.status)).rawValue
  }
}
