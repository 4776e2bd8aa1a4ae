internal import ArgumentParser
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

  func run(in world: World) async throws -> Int32 {
    let examination = await Examination(options, in: world)
    if options.isJSON(in: world) {
      world.out.write(try Document.examination(examination.checks))
    } else {
      let shown = options.isQuiet(in: world) ? examination.checks.filter { $0.level != .ok } : examination.checks
      world.out.write(ExaminationText.render(shown, style: options.style(for: world.out, in: world)))
    }
    return ExitStatus.worst(examination.checks.compactMap(\.status)).rawValue
  }
}
