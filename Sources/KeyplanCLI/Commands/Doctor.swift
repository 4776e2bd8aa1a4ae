internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Diagnoses the local setup.
struct Doctor: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Diagnose the local setup and suggest fixes. Read-only.",
    usage: "keyplan doctor [<options>]",
    discussion: """
      Checks the manifest, identity, store, folders, clock, targets, connections and commands independently, and \
      decrypts no secret. Each connection that is allowed is used to ask who it is signed in as; for that its \
      credential is read. Exits with 9 if the store or its identity cannot be used, with 1 for any other error, \
      and with 0 if there are only warnings.

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
